import { get } from '../../manifest';
import { CPU_POD, edit, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';

function* check({ manifests }: RuleInput): Iterable<Report> {
  for (const { object, pods } of manifests.groups) {
    const seen = new Set<string>();
    for (const { path: spec, hostNetwork, engines } of pods) {
      const found: [path: string, what: string, why: string][] = [];
      if (hostNetwork) {
        const why =
          'its API, its rendezvous and the queues between ranks listen on the address of the node, without a key or encryption, ' +
          'and no NetworkPolicy covers them';
        found.push([`${spec}.hostNetwork`, 'the engine uses the network of its node', why]);
      }
      for (const { path, securityContext } of engines) {
        if (get(securityContext, 'privileged') === true) {
          const why = 'code that comes with a model, or breaks out of the engine, then owns the node';
          found.push([`${path}.securityContext.privileged`, 'the engine runs privileged', why]);
        }
      }
      for (const [path, what, why] of found) {
        if (!seen.has(path)) {
          seen.add(path);
          yield { object, path, what, why };
        }
      }
    }
  }
}

export const hostAccess: Rule = {
  id: 'security/host-access',
  severity: 'note',
  title: 'an engine has the network or the rights of its node',
  why: 'what is done to the engine is done to the node',
  fix:
    'leave hostNetwork out unless the fabric needs it; in place of privileged, add the one capability that is needed, such as ' +
    'IPC_LOCK for RDMA or SYS_NICE for memory binding',
  source: 'Kubernetes Pod Security Standards, baseline; the listeners of two ranks of vLLM 0.32.0',
  get bad() {
    return together(
      edit(CPU_POD, ['          ports: [', '          securityContext: { privileged: true }\n          ports: [']),
      POD_SERVICE,
    );
  },
  get good() {
    return together(
      edit(CPU_POD, [
        '          ports: [',
        '          securityContext: { capabilities: { add: [SYS_NICE] } }\n          ports: [',
      ]),
      POD_SERVICE,
    );
  },
  check,
};
