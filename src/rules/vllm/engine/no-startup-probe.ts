import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { STARTUP_PROBE } from './liveness-kills-loading';
import { DEFAULT_READY_SECONDS, serverProbes, shortestStart } from './probes';

const check = eachEngine(function* (at) {
  const { startupProbe, livenessProbe } = at.engine;
  const probe = serverProbes(at).find(({ path }) => path === livenessProbe?.path);
  if (startupProbe !== undefined || probe === undefined) {
    return;
  }
  const { patienceSeconds: patience } = probe;
  if (patience >= shortestStart(at) && patience < DEFAULT_READY_SECONDS) {
    yield {
      path: probe.path,
      what: `there is no startupProbe, and the livenessProbe ends the container ${patience} s after its start`,
    };
  }
});

export const noStartupProbe: Rule = {
  id: 'vllm/no-startup-probe',
  severity: 'warning',
  title: 'a liveness probe without a startup probe',
  why: `a start with a download takes longer at times (vLLM itself allows ${DEFAULT_READY_SECONDS} s): the container is then ended while it loads`,
  fix: 'give a startupProbe on /health with periodSeconds × failureThreshold of 900 s or more',
  source: 'kserve/kserve#5062; VLLM_ENGINE_READY_TIMEOUT_S in envs.py of vLLM',
  get bad() {
    return edit(CPU_POD, [
      STARTUP_PROBE,
      '          livenessProbe: { httpGet: { path: /health, port: http }, initialDelaySeconds: 120, periodSeconds: 10 }\n',
    ]);
  },
  good: CPU_POD,
  check,
};
