import { ALB_PREFIX } from '../../balancer/annotations';
import type { TargetGroup } from '../../balancer/types';
import type { EngineContainer } from '../../manifest';
import { CPU_POD_BEHIND_BALANCER, edit, INGRESS, POD_SERVICE, together } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { engineBalancers, ingressOf, nameOfWorkload, placeOfAnnotation } from './engine-routes';

const CERTIFICATE = '--ssl-certfile';

interface Misfit {
  readonly annotation: 'backend-protocol' | 'backend-protocol-version';
  readonly what: string;
  readonly fix: string;
}

function misfitOf({ protocol, protocolVersion }: TargetGroup, { command }: EngineContainer): Misfit | undefined {
  const hasTls = command.isSet(CERTIFICATE);
  if (protocol === 'HTTPS' && hasTls === false) {
    return {
      annotation: 'backend-protocol',
      what: `speaks HTTPS to an engine that has no certificate (${CERTIFICATE})`,
      fix: 'leave backend-protocol out, which is HTTP',
    };
  }
  if (protocol === 'HTTP' && hasTls === true) {
    return {
      annotation: 'backend-protocol',
      what: `speaks plain HTTP to an engine that takes TLS alone (${CERTIFICATE})`,
      fix: `set ${ALB_PREFIX}backend-protocol: HTTPS`,
    };
  }
  // The server of vLLM is uvicorn, which knows HTTP/1.1 alone; by `--grpc` another server takes its place.
  return protocolVersion !== 'HTTP1' && command.isSet('--grpc') === false
    ? {
        annotation: 'backend-protocol-version',
        what: `speaks ${protocolVersion} to an engine that speaks HTTP/1.1 alone`,
        fix: 'leave backend-protocol-version out, which is HTTP1',
      }
    : undefined;
}

function* check(input: RuleInput): Iterable<Report> {
  const seen = new Set<string>();
  for (const { plan, routes, isUncertain } of engineBalancers(input)) {
    for (const { route, service, workload, engine } of routes) {
      const misfit = misfitOf(route.targetGroup, engine);
      const ingress = ingressOf(input, plan.ingresses, route.targetGroup.ingress);
      if (misfit === undefined || ingress === undefined || seen.has(route.targetGroup.key)) {
        continue;
      }
      seen.add(route.targetGroup.key);
      const { annotation, what, fix } = misfit;
      const onService = placeOfAnnotation([service], annotation)!;
      yield {
        ...(onService.path === 'metadata.annotations' ? placeOfAnnotation([ingress], annotation)! : onService),
        what: `the balancer ${what}: ${nameOfWorkload(workload)}`,
        fix,
        ...(isUncertain && { severity: 'note' }),
      };
    }
  }
}

export const backendProtocol: Rule = {
  id: 'alb/backend-protocol',
  severity: 'error',
  title: 'a balancer speaks another protocol than the engine behind it',
  why: 'no health check passes, and every request gets 502 or 504',
  fix: 'let both speak the same',
  source:
    'vllm/entrypoints/launcher.py: uvicorn, TLS by --ssl-certfile; annotations of the AWS Load Balancer Controller',
  get bad() {
    return together(
      edit(INGRESS, [
        `    ${ALB_PREFIX}target-type: ip\n`,
        `    ${ALB_PREFIX}target-type: ip\n    ${ALB_PREFIX}backend-protocol: HTTPS\n`,
      ]),
      POD_SERVICE,
      CPU_POD_BEHIND_BALANCER,
    );
  },
  get good() {
    return together(INGRESS, POD_SERVICE, CPU_POD_BEHIND_BALANCER);
  },
  check,
};
