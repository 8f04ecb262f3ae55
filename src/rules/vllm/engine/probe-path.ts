import { guardedPrefixes, isPostOnly, openPaths } from '../../../engine/paths';
import { NEWEST_RELEASE, OLDEST_RELEASE } from '../../../engine/releases';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, type EngineAt, variableAt } from './engines';
import { probeName, serverProbes } from './probes';

/** What puts other paths there, or moves them. */
const FLAGS = ['--root-path', '--middleware', '--grpc'];
const VARIABLES = ['VLLM_SERVER_DEV_MODE', 'VLLM_USE_RUST_FRONTEND', 'VLLM_PLUGINS'];

function isPlain(at: EngineAt): boolean {
  return (
    FLAGS.every((name) => at.engine.command.isSet(name) === false) &&
    VARIABLES.every((name) => variableAt(at, name) === undefined)
  );
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

/** Whether the server has a path, in any release that the image may hold. */
function isThere(path: string, { engine }: EngineAt): boolean {
  const version = engine.image?.version;
  const releases = version === undefined ? [OLDEST_RELEASE, NEWEST_RELEASE] : [version];
  // A slash at the end is redirected, which the kubelet follows.
  const asked = withoutSlash(path);
  return releases.some(
    (release) =>
      guardedPrefixes(release).some((prefix) => asked.startsWith(prefix)) ||
      openPaths(release).some((open) => open.path === asked),
  );
}

const check = eachEngine(function* (at) {
  if (!isPlain(at)) {
    return;
  }
  for (const probe of serverProbes(at)) {
    const { httpPath = '' } = probe;
    if (probe.kind === 'http' && isPostOnly(withoutSlash(httpPath))) {
      yield {
        path: probe.path,
        what: `the ${probeName(probe)} asks for ${httpPath}, which takes POST alone`,
        why: 'a probe sends GET, and the server answers 405: the pod is never ready, or ended',
      };
      continue;
    }
    if (probe.kind === 'http' && !isThere(httpPath, at)) {
      yield {
        path: probe.path,
        what: `the ${probeName(probe)} asks for ${httpPath}, which vLLM's server does not have`,
      };
    }
  }
});

const READINESS = 'readinessProbe: { httpGet: { path: /health,';

export const probePath: Rule = {
  id: 'vllm/probe-path',
  severity: 'error',
  title: "a probe asks for a path that vLLM's server does not have",
  why: 'the server answers 404: the pod is never ready, or ended',
  fix: 'probe /health',
  source: 'the routers below entrypoints/ of each release',
  get bad() {
    return edit(CPU_POD, [READINESS, 'readinessProbe: { httpGet: { path: /healthz,']);
  },
  good: CPU_POD,
  check,
};
