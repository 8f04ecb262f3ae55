const NAME_LABEL = 'leaderworkerset.sigs.k8s.io/name';

/** What an installation of LWS registers, but by URL: its controller runs beside the API server. */
export function webhookConfigurations(port: number, ca: string): unknown[] {
  const webhook = (name: string, path: string, group: string, resource: string, ...operations: string[]) => ({
    name: `${name}.kb.io`,
    admissionReviewVersions: ['v1'],
    clientConfig: { url: `https://127.0.0.1:${port}/${path}`, caBundle: Buffer.from(ca).toString('base64') },
    failurePolicy: 'Fail',
    sideEffects: 'None',
    rules: [{ apiGroups: [group], apiVersions: ['v1'], operations, resources: [resource] }],
    // Of pods, those of a group alone.
    ...(resource === 'pods' && { objectSelector: { matchExpressions: [{ key: NAME_LABEL, operator: 'Exists' }] } }),
  });
  const lws = 'leaderworkerset.x-k8s.io';
  const disaggregated = 'disaggregatedset.x-k8s.io';
  const path = (what: string, group: string, resource: string) =>
    `${what}-${group.replaceAll('.', '-')}-v1-${resource.slice(0, -1)}`;
  const configuration = (kind: string, name: string, webhooks: unknown[]) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks,
  });
  return [
    configuration('MutatingWebhookConfiguration', 'lws-mutating-webhook-configuration', [
      webhook('mleaderworkerset', path('mutate', lws, 'leaderworkersets'), lws, 'leaderworkersets', 'CREATE', 'UPDATE'),
      webhook('mpod', path('mutate', '', 'pods'), '', 'pods', 'CREATE'),
    ]),
    configuration('ValidatingWebhookConfiguration', 'lws-validating-webhook-configuration', [
      webhook(
        'vleaderworkerset',
        path('validate', lws, 'leaderworkersets'),
        lws,
        'leaderworkersets',
        'CREATE',
        'UPDATE',
      ),
      webhook('vpod', path('validate', '', 'pods'), '', 'pods', 'CREATE', 'UPDATE'),
      webhook(
        'vdisaggregatedset',
        path('validate', disaggregated, 'disaggregatedsets'),
        disaggregated,
        'disaggregatedsets',
        'CREATE',
        'UPDATE',
      ),
    ]),
  ];
}
