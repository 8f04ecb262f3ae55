import { edit, GPU_GROUP } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { isUnfilled } from './drift';
import { enginesOf, isMultiNode, once } from './engines';

const VARIABLE = 'GLOO_SOCKET_IFNAME';
/** NCCL takes the beginning of a name; no network interface is called like that alone. */
const PREFIX = /^(eth|ens|eno|enp|enx|ib)$/;

const ENTRY = '              - { name: VLLM_HOST_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }\n';
const withVariable = (value: string): string =>
  edit(GPU_GROUP, [ENTRY, `${ENTRY}              - { name: ${VARIABLE}, value: "${value}" }\n`]);

function* check(input: RuleInput): Iterable<Report> {
  for (const { group, engine, pod } of enginesOf(input)) {
    const found = engine.variable(VARIABLE);
    const value = found?.text.value;
    if (found === undefined || value === undefined || value === '' || isUnfilled(found.text)) {
      continue;
    }
    const { settings, command } = engine;
    const isOverNodes = settings !== undefined && isMultiNode({ group, pod, engine, settings, command });
    const why = problemOf(value, isOverNodes);
    if (why !== undefined) {
      yield { object: group.object, path: found.path, what: `${VARIABLE} is '${value}'`, why };
    }
  }
}

function problemOf(value: string, isOverNodes: boolean): string | undefined {
  if (/^[\^=!]/.test(value)) {
    return `it is a list in the form of NCCL_SOCKET_IFNAME: Gloo looks for an interface of exactly that name, and every rank aborts`;
  }
  const names = value.split(',');
  if (names.some((name) => name === '' || /[\s^=!*]/.test(name))) {
    return 'Gloo looks for an interface of each name between the commas, blanks included, and every rank aborts';
  }
  if (names.some((name) => PREFIX.test(name))) {
    return 'Gloo takes whole names where NCCL takes beginnings, and every rank aborts';
  }
  return isOverNodes && names.includes('lo')
    ? 'the other nodes are told the address of the loopback, where they find themselves'
    : undefined;
}

export const glooInterfaceList: Rule = {
  id: 'vllm/gloo-interface-list',
  severity: 'error',
  title: 'GLOO_SOCKET_IFNAME names no network interface',
  why: 'Gloo takes names of interfaces and nothing else',
  fix: 'name one interface, eth0 in most pods, or leave the variable out; lists to exclude are for NCCL_SOCKET_IFNAME',
  source: 'torch/csrc/distributed/c10d/ProcessGroupGloo; aws-samples/aws-do-eks#51',
  get bad() {
    return withVariable('^lo,docker0');
  },
  get good() {
    return withVariable('eth0');
  },
  check: once(check),
};
