import { CPU_GROUP, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { engineAloneProbes, probeName } from './probes';

const check = eachEngine(function* (at) {
  // A leader that runs --headless has another fault, and the probe is right.
  if (at.settings.headless.value !== true || at.settings.nodeRank.value === 0) {
    return;
  }
  for (const probe of engineAloneProbes(at)) {
    const isReadiness = probeName(probe) === 'readinessProbe';
    yield {
      path: probe.path,
      what: `the ${probeName(probe)} asks port ${probe.writtenPort ?? 'unknown'} of a rank that runs --headless`,
      ...(isReadiness && { why: 'such a rank serves no HTTP: the pod is never ready, and a rollout never goes on' }),
    };
  }
});

const WORKER = 'fieldPath: status.podIP } } }\n            resources:';

export const probeOnFollower: Rule = {
  id: 'vllm/probe-on-follower',
  severity: 'error',
  title: 'a probe over the network on a headless rank',
  why: 'such a rank serves no HTTP and has no fixed port: the probe never succeeds, and the container is ended again and again',
  fix: 'probe the leader alone',
  source: 'entrypoints/cli/serve.py run_headless; the listeners of a rank of 0.32.0',
  get bad() {
    return edit(CPU_GROUP, [
      WORKER,
      'fieldPath: status.podIP } } }\n' +
        '            livenessProbe: { httpGet: { path: /health, port: 8000 }, initialDelaySeconds: 900 }\n' +
        '            resources:',
    ]);
  },
  good: CPU_GROUP,
  check,
};
