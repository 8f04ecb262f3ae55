import { ALB_ANNOTATIONS, ALB_PREFIX } from '../../balancer/annotations';
import type { IgnoredAnnotation } from '../../balancer/types';
import { keyOf } from '../../balancer/object';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { annotationPath } from './engine-routes';

/** Annotations of the first version of the controller, and what took their place. Source: its migration guide. */
const FORMER: Readonly<Record<string, string>> = {
  attributes: 'load-balancer-attributes',
  'connection-idle-timeout': 'load-balancer-attributes: idle_timeout.timeout_seconds=…',
  'security-group-inbound-cidrs': 'inbound-cidrs',
};

function meantBy({ annotation, nearest }: IgnoredAnnotation): string | undefined {
  const suffix = annotation.slice(ALB_PREFIX.length);
  const longer = Object.keys(ALB_ANNOTATIONS).filter((known) => known.startsWith(`${suffix}-`));
  const meant = Object.hasOwn(FORMER, suffix) ? FORMER[suffix] : longer.length === 1 ? longer[0] : undefined;
  return meant === undefined ? nearest : ALB_PREFIX + meant;
}

function explain(ignored: IgnoredAnnotation): Pick<Report, 'what' | 'fix' | 'severity'> {
  const { annotation, why } = ignored;
  const meant = meantBy(ignored);
  switch (why) {
    case 'misplaced':
      return {
        what: `the controller does not read '${annotation}' from a Service`,
        fix: 'put it on the Ingress',
      };
    case 'unused':
      return {
        what: `'${annotation}' is about a backend that the Ingress does not have`,
        fix: 'end it with the name of a Service behind the Ingress; of an action, one whose port is named use-annotation',
      };
    default:
      return meant === undefined
        ? { what: `'${annotation}' is no annotation of the controller`, severity: 'note' }
        : {
            what: `'${annotation}' is no annotation of the controller; did you mean '${meant}'?`,
            fix: `write ${meant}`,
          };
  }
}

function* check(input: RuleInput): Iterable<Report> {
  const objects = new Map(input.objects.map((object) => [`${object.kind} ${keyOf(object)}`, object]));
  const seen = new Set<string>();
  for (const ignored of input.balancers.flatMap((plan) => plan.ignored)) {
    const object = objects.get(ignored.object);
    const key = `${ignored.object} ${ignored.annotation}`;
    // A Service may stand behind several balancers.
    if (object !== undefined && !seen.has(key)) {
      seen.add(key);
      yield { object, path: annotationPath(ignored.annotation), ...explain(ignored) };
    }
  }
}

export const unknownAnnotation: Rule = {
  id: 'alb/unknown-annotation',
  severity: 'warning',
  title: 'the load balancer controller passes an annotation by',
  why: 'the controller reports success and goes on as if the annotation were not there',
  fix: 'correct its name, or leave it out',
  holds: 'AWS Load Balancer Controller 3.5',
  source: 'what a real controller made of a misspelt annotation; its list of annotations',
  get bad() {
    return together(
      edit(INGRESS, [
        `    ${ALB_PREFIX}healthcheck-path: /health\n`,
        `    ${ALB_PREFIX}healthcheck-path: /health\n    ${ALB_PREFIX}healthcheck-interval: "30"\n`,
      ]),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(
      edit(INGRESS, [
        `    ${ALB_PREFIX}healthcheck-path: /health\n`,
        `    ${ALB_PREFIX}healthcheck-path: /health\n    ${ALB_PREFIX}healthcheck-interval-seconds: "30"\n`,
      ]),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  check,
};
