import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { probeName, serverProbes } from './probes';

const check = eachEngine(function* (at) {
  const hasTls = at.engine.command.isSet('--ssl-certfile');
  if (hasTls === undefined) {
    return;
  }
  for (const probe of serverProbes(at)) {
    const isJudged = probe.kind === 'http' && (probe.scheme === 'HTTP' || probe.scheme === 'HTTPS');
    if (isJudged && (probe.scheme === 'HTTPS') !== hasTls) {
      yield {
        path: probe.path,
        what: `the ${probeName(probe)} speaks ${probe.scheme}, and the server ${hasTls ? 'has a certificate (--ssl-certfile)' : 'speaks plain HTTP'}`,
      };
    }
  }
});

export const probeScheme: Rule = {
  id: 'vllm/probe-scheme',
  severity: 'error',
  title: 'a probe speaks HTTP to TLS, or the other way round',
  why: 'no such request succeeds: the pod is never ready, or ended',
  fix: 'set scheme: HTTPS on the probe where --ssl-certfile is given, and leave it out elsewhere',
  source: 'entrypoints/openai/cli_args.py of vLLM',
  get bad() {
    return edit(CPU_POD, [
      'readinessProbe: { httpGet: { path: /health, port: http } }',
      'readinessProbe: { httpGet: { path: /health, port: http, scheme: HTTPS } }',
    ]);
  },
  good: CPU_POD,
  check,
};
