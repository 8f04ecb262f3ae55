import { CPU_POD } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, variableAt } from './engines';
import { withVariables } from './manifests';

const check = eachEngine(function* (at) {
  const { image } = at.engine;
  const found = variableAt(at, 'LD_PRELOAD');
  if (image?.backend !== 'cpu' || !image.hasServeEntrypoint || found === undefined) {
    return;
  }
  const { value } = found.text;
  if (value !== undefined && !value.includes('tcmalloc')) {
    yield { path: found.path, what: `LD_PRELOAD is '${value}', in place of what the image sets` };
  }
});

export const ldPreloadReplaced: Rule = {
  id: 'vllm/ld-preload-replaced',
  severity: 'warning',
  title: 'LD_PRELOAD of a CPU image is replaced',
  why: 'the image preloads tcmalloc, and on x86 the OpenMP library that vLLM is built with; without them it is slower and takes more memory',
  fix: 'leave LD_PRELOAD out, or name the libraries of the image as well',
  holds: "vLLM's own CPU images",
  source: 'docker/Dockerfile.cpu of vLLM',
  get bad() {
    return withVariables({ LD_PRELOAD: 'value: /opt/profiler/libprofiler.so' });
  },
  good: CPU_POD,
  check,
};
