import { needsKey } from '../../../engine/paths';
import { NEWEST_RELEASE, OLDEST_RELEASE } from '../../../engine/releases';
import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, type EngineAt, releaseWords } from './engines';
import { withVariables } from './manifests';
import { probeName, serverProbes } from './probes';

/** Whether a path needs the key; `undefined` when that depends on a release that the image does not tell. */
function isGuarded(path: string, { engine }: EngineAt): boolean | undefined {
  const version = engine.image?.version;
  if (version !== undefined) {
    return needsKey(path, version);
  }
  return needsKey(path, OLDEST_RELEASE) ? true : needsKey(path, NEWEST_RELEASE) ? undefined : false;
}

const check = eachEngine(function* (at) {
  const { apiKey } = at.settings;
  const isEmpty = apiKey.flag !== undefined && apiKey.flag.words.every(({ text }) => text.value === '');
  if (apiKey.value !== true || isEmpty) {
    return;
  }
  for (const probe of serverProbes(at)) {
    const { httpPath: path = '' } = probe;
    const guarded = probe.kind === 'http' ? isGuarded(path, at) : false;
    if (guarded !== false && !probe.headers.some((name) => name.toLowerCase() === 'authorization')) {
      yield {
        path: probe.path,
        what: `the ${probeName(probe)} asks for ${path} without a key, which the API key of ${releaseWords(at)} guards`,
        ...(guarded === undefined && { severity: 'note' as const }),
      };
    }
  }
});

const KEY = (): string => withVariables({ VLLM_API_KEY: 'valueFrom: { secretKeyRef: { name: api, key: key } }' });
const READINESS = 'readinessProbe: { httpGet: { path: /health,';

export const guardedProbePath: Rule = {
  id: 'vllm/guarded-probe-path',
  severity: 'error',
  title: 'a probe asks for a path that needs the API key',
  why: 'the kubelet sends no key and gets 401: the pod is never ready, or ended',
  fix: 'probe /health, which needs none',
  source: 'the authentication middleware of each release; 401 seen on 0.32.0; vllm-project/production-stack#631',
  get bad() {
    return edit(KEY(), [READINESS, 'readinessProbe: { httpGet: { path: /v1/models,']);
  },
  get good() {
    return edit(CPU_POD, [READINESS, 'readinessProbe: { httpGet: { path: /v1/models,']);
  },
  check,
};
