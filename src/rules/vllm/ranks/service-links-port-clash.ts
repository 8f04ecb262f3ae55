import { hasServiceLinks, readService, type Service } from '../../../manifest/index';
import { edit, GPU_GROUP, together } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { type Engine, enginesOf, isOlder, once, weakened } from './engines';

const CLASHING = 'vllm';
const VARIABLE = 'VLLM_PORT';
/** First release in which the ranks of one pod meet by a file. Source: vllm-project/vllm#50999. */
const BY_FILE = '0.28.0';

const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: vllm, namespace: serving }
spec:
  selector:
    leaderworkerset.sigs.k8s.io/name: large
    leaderworkerset.sigs.k8s.io/worker-index: "0"
  ports: [{ name: http, port: 8000, targetPort: http }]
`;

function* check(input: RuleInput): Iterable<Report> {
  const services = input.set
    .ofKind('Service')
    .filter(({ metadata }) => metadata.name === CLASHING)
    .map(readService)
    .filter(hasServiceLinks);
  if (services.length === 0) {
    return;
  }
  const engines = [...enginesOf(input)];
  for (const service of services) {
    const hit = engines.filter((engine) => isReached(service, engine));
    const broken = hit.find(isBroken);
    const first = broken ?? hit[0];
    if (first !== undefined) {
      const { kind, name } = first.group;
      yield {
        object: service.object,
        path: 'metadata.name',
        what: `Service '${CLASHING}' gives ${VARIABLE}=tcp://… to the pods of ${kind}/${name}`,
        ...weakened(broken !== undefined),
      };
    }
  }
}

/** Ranks that meet by a port read it; since 0.28 a single one meets itself by a file, and was seen to start. */
function isBroken(engine: Engine): boolean {
  return hasSeveralRanks(engine) || isOlder(engine.engine.image, BY_FILE) === true;
}

function isReached(service: Service, { group, pod, engine }: Engine): boolean {
  return (
    group.namespace === service.namespace &&
    pod.enableServiceLinks &&
    engine.variable(VARIABLE) === undefined &&
    engine.environment.unread.length === 0
  );
}

function hasSeveralRanks({ group, engine: { settings, command } }: Engine): boolean {
  return settings?.worldSize === undefined
    ? command.ray !== undefined && (group.size ?? 1) > 1
    : settings.worldSize > 1;
}

export const serviceLinksPortClash: Rule = {
  id: 'vllm/service-links-port-clash',
  severity: 'error',
  title: 'a Service called vllm sets VLLM_PORT',
  why: 'vLLM takes the variable for a port of its own and ends with "VLLM_PORT appears to be a URI"',
  fix: 'set enableServiceLinks: false in the pods, or give the Service another name',
  source: 'vllm/envs.py; vllm-project/vllm#34199; run on 0.32.0: one rank alone starts all the same',
  get bad() {
    return together(edit(GPU_GROUP, ['        enableServiceLinks: false\n', '']), SERVICE);
  },
  get good() {
    return together(GPU_GROUP, SERVICE);
  },
  check: once(check),
};
