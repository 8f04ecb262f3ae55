import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { probeName, serverProbes, shortestStart } from './probes';

/** The line of CPU_POD's startup probe. */
export const STARTUP_PROBE =
  '          startupProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10, failureThreshold: 90 }\n';

const check = eachEngine(function* (at) {
  const { engine } = at;
  // While there is a startup probe, the liveness probe waits for it.
  const killer = serverProbes(at).find(({ path }) => path === (engine.startupProbe ?? engine.livenessProbe)?.path);
  if (killer !== undefined && killer.patienceSeconds < shortestStart(at, engine.startupProbe !== undefined)) {
    yield {
      path: killer.path,
      what:
        `the ${probeName(killer)} ends the container ${killer.patienceSeconds} s after its start` +
        (engine.startupProbe === undefined ? ', and no startupProbe holds it back' : ''),
    };
  }
});

export const livenessKillsLoading: Rule = {
  id: 'vllm/liveness-kills-loading',
  severity: 'error',
  title: 'a probe ends the container while it loads',
  why: 'the port stays closed until the weights are loaded, which takes minutes: the container starts over for ever',
  fix: 'give a startupProbe on /health with periodSeconds × failureThreshold of 900 s or more',
  source:
    'kserve/kserve#5062, vllm-project/vllm#17386; 47 to 66 s for models of 1 B parameters that were on disk already',
  get bad() {
    return edit(CPU_POD, [
      STARTUP_PROBE,
      '          livenessProbe: { httpGet: { path: /health, port: http }, initialDelaySeconds: 30, periodSeconds: 10 }\n',
    ]);
  },
  get good() {
    return edit(CPU_POD, [
      STARTUP_PROBE,
      `${STARTUP_PROBE}          livenessProbe: { httpGet: { path: /health, port: http }, periodSeconds: 10 }\n`,
    ]);
  },
  check,
};
