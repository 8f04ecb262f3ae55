import { CPU_POD } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, pythonInteger, variableAt, variableOf } from './engines';
import { withVariables } from './manifests';
import { serverProbes } from './probes';

const VARIABLE = 'VLLM_ENGINE_READY_TIMEOUT_S';

const check = eachEngine(function* (at) {
  const timeout = pythonInteger(variableOf(at, VARIABLE) ?? '');
  const probe = serverProbes(at).find(({ path }) => path === at.engine.startupProbe?.path);
  if (timeout !== undefined && probe !== undefined && probe.patienceSeconds !== timeout) {
    const isProbeFirst = probe.patienceSeconds < timeout;
    yield {
      path: isProbeFirst ? probe.path : variableAt(at, VARIABLE)!.path,
      what: `the startupProbe allows ${probe.patienceSeconds} s, and ${VARIABLE} ${timeout} s: the ${isProbeFirst ? 'probe' : 'engine'} gives up first`,
    };
  }
});

export const readyTimeout: Rule = {
  id: 'vllm/ready-timeout',
  severity: 'note',
  title: 'two different times for a start',
  why: 'the shorter one decides, and the longer one does nothing',
  fix: 'give both the same time',
  source: 'v1/engine/core_client.py of vLLM',
  get bad() {
    return withVariables({ VLLM_ENGINE_READY_TIMEOUT_S: 'value: "1800"' }, CPU_POD);
  },
  get good() {
    return withVariables({ VLLM_ENGINE_READY_TIMEOUT_S: 'value: "900"' }, CPU_POD);
  },
  check,
};
