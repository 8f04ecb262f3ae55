import { fallbackOf } from './annotations';
import type { Member } from './classes';
import { BuildError, within } from './grammar';
import {
  annotationsOf,
  fieldOf,
  keyOf,
  listOf,
  type ManifestObject,
  namespaceOf,
  nameOf,
  textOf,
  textsOf,
} from './object';
import { Annotations } from './reader';
import { pairsOf } from './load-balancer';
import type { HealthCheck, LoadBalancer, Protocol, TargetGroup } from './types';

/** The path that a health check asks for when the backend speaks gRPC, and the code it expects. */
const GRPC_HEALTH_PATH = '/AWS.ALB/healthcheck';
const GRPC_SUCCESS_CODES = '12';
const TRAFFIC_PORT = 'traffic-port';

/** The target group of a Service behind an Ingress. The steps are in the order of the controller. */
export function buildTargetGroup(
  member: Member,
  service: ManifestObject,
  servicePort: number | string,
  balancer: LoadBalancer,
): TargetGroup {
  const own = new Annotations(annotationsOf(service));
  const port = findPort(service, servicePort);
  const annotations = own.over(member.annotations);
  const targetType = textOf(fieldOf(member.params, 'targetType')) ?? text(annotations, 'target-type');
  if (targetType !== 'instance' && targetType !== 'ip') {
    throw new BuildError(`unknown targetType: ${targetType}`);
  }
  const protocol = text(annotations, 'backend-protocol');
  if (!isProtocol(protocol)) {
    throw new BuildError(`backend protocol must be within [HTTP, HTTPS]: ${protocol}`);
  }
  const protocolVersion = text(annotations, 'backend-protocol-version');
  if (protocolVersion !== 'HTTP1' && protocolVersion !== 'HTTP2' && protocolVersion !== 'GRPC') {
    throw new BuildError(`backend protocol version must be within [HTTP1, HTTP2, GRPC]: ${protocolVersion}`);
  }
  const healthCheck = buildHealthCheck(annotations, service, targetType, protocol, protocolVersion);
  const attributes = Object.fromEntries(annotations.map('target-group-attributes') ?? []);
  const serviceTags = own.map('tags') ?? new Map<string, string>();
  const tags = {
    ...Object.fromEntries(member.annotations.map('tags') ?? []),
    ...Object.fromEntries(serviceTags),
    ...pairsOf(fieldOf(member.params, 'tags')),
  };
  const isIpv6 = textsOf(fieldOf(service.spec, 'ipFamilies')).includes('IPv6');
  if (isIpv6 && balancer.ipAddressType === 'ipv4') {
    throw new BuildError('unsupported IPv6 configuration, lb not dual-stack');
  }
  const targetPort = targetType === 'ip' ? port.targetPort : port.nodePort;
  if (targetPort === 0) {
    throw new BuildError(
      targetType === 'ip'
        ? 'TargetGroup port is empty. Are you using the correct service type?'
        : "TargetGroup port is empty. When using Instance targets, your service be must of type 'NodePort' or " +
            "'LoadBalancer'",
    );
  }
  const nodeLabels = targetType === 'instance' ? annotations.map('target-node-labels') : undefined;
  annotations.bool('multi-cluster-target-group');
  return {
    key: targetGroupKey(member, service, servicePort),
    ingress: member.key,
    namespace: namespaceOf(service),
    service: nameOf(service),
    servicePort,
    targetType,
    ...(targetPort !== undefined && {
      targetPort,
      // A name can be another number on each pod, so the group is made with a number that means nothing.
      port: typeof targetPort === 'string' ? 1 : targetPort,
    }),
    protocol,
    protocolVersion,
    ipAddressType: isIpv6 ? 'ipv6' : 'ipv4',
    healthCheck,
    attributes,
    tags,
    ...(nodeLabels && { nodeLabels: Object.fromEntries(nodeLabels) }),
  };
}

export function targetGroupKey(member: Member, service: ManifestObject, servicePort: number | string): string {
  return `${member.key}-${nameOf(service)}:${servicePort}`;
}

interface ServicePort {
  readonly targetPort: number | string;
  /** 0 where there is none, nothing where the cluster assigns it. */
  readonly nodePort: number | undefined;
}

function findPort(service: ManifestObject, wanted: number | string): ServicePort {
  const type = fieldOf(service.spec, 'type');
  const found = listOf(fieldOf(service.spec, 'ports')).find((port) =>
    typeof wanted === 'string' ? fieldOf(port, 'name') === wanted : fieldOf(port, 'port') === wanted,
  );
  if (found === undefined) {
    // Such a Service needs no ports: the number is that of the other end.
    if (type === 'ExternalName' && typeof wanted === 'number') {
      return { targetPort: wanted, nodePort: 0 };
    }
    throw new BuildError(`unable to find port ${wanted} on service ${keyOf(service)}`);
  }
  const nodePort = fieldOf(found, 'nodePort');
  const hasNodePorts = type === 'NodePort' || type === 'LoadBalancer';
  return {
    targetPort: numberOrText(fieldOf(found, 'targetPort')) ?? numberOrText(fieldOf(found, 'port')) ?? 0,
    nodePort: typeof nodePort === 'number' && nodePort !== 0 ? nodePort : hasNodePorts ? undefined : 0,
  };
}

function numberOrText(value: unknown): number | string | undefined {
  return typeof value === 'number' && value !== 0 ? value : textOf(value);
}

function buildHealthCheck(
  annotations: Annotations,
  service: ManifestObject,
  targetType: TargetGroup['targetType'],
  backendProtocol: Protocol,
  version: TargetGroup['protocolVersion'],
): HealthCheck {
  const port = healthCheckPort(annotations, service, targetType);
  const protocol = annotations.text('healthcheck-protocol') ?? backendProtocol;
  if (!isProtocol(protocol)) {
    throw new BuildError('healthCheckProtocol must be within [HTTP, HTTPS]');
  }
  const isGrpc = version === 'GRPC';
  return {
    path: annotations.text('healthcheck-path') ?? (isGrpc ? GRPC_HEALTH_PATH : fallbackOf('healthcheck-path')),
    ...(port !== undefined && { port }),
    protocol,
    intervalSeconds: count(annotations, 'healthcheck-interval-seconds'),
    timeoutSeconds: count(annotations, 'healthcheck-timeout-seconds'),
    healthyThreshold: count(annotations, 'healthy-threshold-count'),
    unhealthyThreshold: count(annotations, 'unhealthy-threshold-count'),
    successCodes: annotations.text('success-codes') ?? (isGrpc ? GRPC_SUCCESS_CODES : fallbackOf('success-codes')),
  };
}

function healthCheckPort(
  annotations: Annotations,
  service: ManifestObject,
  targetType: TargetGroup['targetType'],
): HealthCheck['port'] {
  const given = text(annotations, 'healthcheck-port');
  if (given === TRAFFIC_PORT) {
    return TRAFFIC_PORT;
  }
  if (/^[+-]?\d+$/.test(given)) {
    return Number(given);
  }
  const { targetPort, nodePort } = within('failed to resolve healthCheckPort', () => findPort(service, given));
  if (targetType === 'instance') {
    return nodePort;
  }
  if (typeof targetPort === 'number') {
    return targetPort;
  }
  throw new BuildError("cannot use named healthCheckPort for IP TargetType when service's targetPort is a named port");
}

function text(
  annotations: Annotations,
  suffix: 'target-type' | 'backend-protocol' | 'backend-protocol-version' | 'healthcheck-port',
): string {
  return annotations.text(suffix) ?? fallbackOf(suffix);
}

function count(
  annotations: Annotations,
  suffix:
    | 'healthcheck-interval-seconds'
    | 'healthcheck-timeout-seconds'
    | 'healthy-threshold-count'
    | 'unhealthy-threshold-count',
): number {
  return annotations.int(suffix) ?? Number(fallbackOf(suffix));
}

function isProtocol(value: string): value is Protocol {
  return value === 'HTTP' || value === 'HTTPS';
}
