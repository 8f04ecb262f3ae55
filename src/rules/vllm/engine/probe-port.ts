import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { engineAloneProbes, isPortKnown, probeName } from './probes';

/** What makes the server listen elsewhere as well. */
const OTHER_PORTS = ['--uds', '--grpc', '--data-parallel-multi-port-external-lb', '--data-parallel-external-lb'];

const check = eachEngine(function* (at) {
  const { port, headless } = at.settings;
  const { command } = at.engine;
  if (headless.value !== false || !isPortKnown(at) || !OTHER_PORTS.every((name) => command.isSet(name) === false)) {
    return;
  }
  for (const probe of engineAloneProbes(at)) {
    if (probe.port !== undefined && probe.port !== port.value) {
      yield {
        path: probe.path,
        what: `the ${probeName(probe)} asks port ${probe.port}, and the server listens on ${port.value}`,
      };
    }
  }
});

export const probePort: Rule = {
  id: 'vllm/probe-port',
  severity: 'error',
  title: 'a probe asks a port that nothing listens on',
  why: 'the connection is refused: the pod is never ready, or ended',
  fix: "probe the server's port: that of --port, 8000 when it is not given",
  holds: 'pods in which the engine is alone',
  source: 'entrypoints/openai/cli_args.py of vLLM',
  get bad() {
    return edit(CPU_POD, [
      'readinessProbe: { httpGet: { path: /health, port: http } }',
      'readinessProbe: { httpGet: { path: /health, port: 8080 } }',
    ]);
  },
  good: CPU_POD,
  check,
};
