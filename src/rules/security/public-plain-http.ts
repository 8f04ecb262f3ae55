import { ALB_PREFIX } from '../../balancer/annotations';
import { edit, POD_SERVICE, together } from '../examples';
import { nameOf } from '../finding';
import type { Report, Rule, RuleInput } from '../rule';
import { GUARDED_POD, PUBLIC_INGRESS } from './examples';
import { exposures } from './exposures';

function* check(input: RuleInput): Iterable<Report> {
  const seen = new Set<string>();
  for (const { isPublic, plainText, engine } of exposures(input)) {
    if (isPublic !== true || plainText === undefined) {
      continue;
    }
    const { port, ...place } = plainText;
    const key = `${nameOf(place.object)} ${place.object.metadata.namespace ?? ''} ${place.path}`;
    if (!seen.has(key)) {
      seen.add(key);
      yield {
        ...place,
        what:
          `port ${port} of the public balancer of ${nameOf(place.object)} takes requests for an engine in clear text` +
          (engine.settings?.apiKey.value === true ? ', the API key with them' : ''),
      };
    }
  }
}

export const publicPlainHttp: Rule = {
  id: 'security/public-plain-http',
  severity: 'warning',
  title: 'a public balancer takes requests for an engine without TLS',
  why: 'keys, prompts and answers cross the Internet in clear text',
  fix:
    `listen on HTTPS with a certificate (${ALB_PREFIX}listen-ports, ${ALB_PREFIX}certificate-arn), and redirect HTTP to it ` +
    `with ${ALB_PREFIX}ssl-redirect`,
  source: 'annotations of the AWS Load Balancer Controller: HTTP on port 80 is the default without a certificate',
  get bad() {
    return together(
      edit(
        PUBLIC_INGRESS,
        ['[{"HTTPS":443}]', '[{"HTTP":80}]'],
        [
          '    alb.ingress.kubernetes.io/certificate-arn: arn:aws:acm:eu-west-1:111122223333:certificate/00000000-0000-4000-8000-000000000000\n',
          '',
        ],
      ),
      POD_SERVICE,
      GUARDED_POD,
    );
  },
  get good() {
    return together(PUBLIC_INGRESS, POD_SERVICE, GUARDED_POD);
  },
  check,
};
