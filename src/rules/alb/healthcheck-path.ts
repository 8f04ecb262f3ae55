import { ALB_PREFIX } from '../../balancer/annotations';
import type { TargetGroup } from '../../balancer/types';
import { guardedPrefixes, needsKey, openPaths } from '../../engine/paths';
import { HEALTH_PATH } from '../../engine/server';
import { type EngineContainer } from '../../manifest';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { engineBalancers, ingressOf, nameOfWorkload, placeOfAnnotation } from './engine-routes';

/** Paths of other programs that no release of vLLM ever had, so that an image without a release is judged too. */
const NEVER_THERE = new Set(['/', '/healthz', '/livez', '/readyz', '/live', '/ready', '/healthcheck', '/status']);
/** What vLLM takes by POST alone, and answers to a GET with 405. */
const POST_ONLY = new Set(['/tokenize', '/detokenize']);

interface Answer {
  readonly status: number;
  readonly why: string;
}

/** What an engine answers to GET without a key, when it is surely no 200. */
function answerOf(path: string, { command, settings, image }: EngineContainer): Answer | undefined {
  const root = command.flag('--root-path');
  if (command.isSet('--middleware') === true || (root !== undefined && root.value === undefined)) {
    return undefined;
  }
  const prefix = (root?.value ?? '').replace(/\/$/, '');
  const bare = path.split(/[?#]/, 1)[0]!;
  const own = prefix !== '' && bare.startsWith(`${prefix}/`) ? bare.slice(prefix.length) : bare;
  const { release } = command;
  if (needsKey(own, release)) {
    const prefixes = guardedPrefixes(release).join(', ');
    return settings?.apiKey.value === true
      ? { status: 401, why: `the API key guards ${prefixes}, and the balancer has none` }
      : undefined;
  }
  const open = openPaths(release).find((candidate) => candidate.path === own);
  if (open?.isHarmful === true || POST_ONLY.has(own)) {
    return { status: 405, why: 'the engine takes that path by POST alone' };
  }
  // Of another release than those that were read, only what was never there is known.
  const isRead = image?.version === release && command.isComplete;
  const isMissing = NEVER_THERE.has(own) || (isRead && open === undefined && isPlain(own));
  return isMissing ? { status: 404, why: 'it has no such path' } : undefined;
}

/** A path of one part: below one there may be routes that are not listed. */
function isPlain(path: string): boolean {
  return /^\/[a-z]+$/.test(path);
}

/** Whether codes such as `200`, `200,301` or `200-299` name a status. */
function accepts(codes: string, status: number): boolean {
  return codes.split(',').some((part) => {
    const [from = '', to = from] = part.trim().split('-', 2);
    return Number(from) <= status && status <= Number(to);
  });
}

/** Whether a health check goes where the requests go, in plain HTTP. */
function isOfEngine({ healthCheck, targetPort, targetType, protocolVersion }: TargetGroup): boolean {
  const { port, protocol } = healthCheck;
  return (
    protocol === 'HTTP' &&
    protocolVersion !== 'GRPC' &&
    (port === 'traffic-port' || (targetType === 'ip' && port !== undefined && port === targetPort))
  );
}

function* check(input: RuleInput): Iterable<Report> {
  const seen = new Set<string>();
  for (const { plan, routes } of engineBalancers(input)) {
    for (const { route, service, workload, engine } of routes) {
      const { targetGroup } = route;
      const { path, successCodes } = targetGroup.healthCheck;
      const answer = isOfEngine(targetGroup) ? answerOf(path, engine) : undefined;
      const place = placeOfAnnotation(
        // The Service wins; what neither says belongs on the Ingress.
        placeOfAnnotation([service], 'healthcheck-path')?.path === 'metadata.annotations'
          ? [ingressOf(input, plan.ingresses, targetGroup.ingress) ?? []].flat()
          : [service],
        'healthcheck-path',
      );
      if (answer === undefined || place === undefined || accepts(successCodes, answer.status)) {
        continue;
      }
      const key = `${place.object.kind} ${targetGroup.ingress} ${targetGroup.service}`;
      if (!seen.has(key)) {
        seen.add(key);
        const isDefault = place.path === 'metadata.annotations';
        yield {
          ...place,
          what:
            `the health check of Service/${targetGroup.service} asks ${nameOfWorkload(workload)} for '${path}'` +
            `${isDefault ? ', which is the default,' : ''} and gets ${answer.status}, not ${successCodes}: ${answer.why}`,
          fix: `set ${ALB_PREFIX}healthcheck-path: ${HEALTH_PATH}${
            isDefault ? ', on the Service when other Services behind the Ingress have another path' : ''
          }`,
        };
      }
    }
  }
}

export const healthcheckPath: Rule = {
  id: 'alb/healthcheck-path',
  severity: 'error',
  title: 'the health check of a balancer asks an engine for a path that it does not answer',
  why: 'every target is unhealthy for as long as it runs: the balancer cannot tell a pod that serves from one that loads or hangs, and a rollout that waits for healthy targets never ends',
  fix: `set ${ALB_PREFIX}healthcheck-path: ${HEALTH_PATH}, which answers 200 once the engine is up and needs no key`,
  source: 'routes and authentication of vllm/entrypoints; annotations of the AWS Load Balancer Controller, default `/`',
  get bad() {
    return together(
      edit(INGRESS, [`    ${ALB_PREFIX}healthcheck-path: /health\n`, '']),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
