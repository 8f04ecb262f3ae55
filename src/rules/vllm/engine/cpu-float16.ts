import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, isCpu } from './engines';
import { isGemma2Or3 } from './models';

const check = eachEngine(function* (at) {
  const { value, path } = at.settings.dtype;
  if ((value === 'float16' || value === 'half') && isCpu(at) && !isGemma2Or3(at)) {
    yield { path, what: `dtype is ${value} on CPU` };
  }
});

export const cpuFloat16: Rule = {
  id: 'vllm/cpu-float16',
  severity: 'warning',
  title: 'float16 on CPU',
  why: 'float16 is unstable in torch on CPU, as the documentation of vLLM says',
  fix: 'take --dtype=bfloat16',
  holds: 'engines on CPU',
  source: 'docs/getting_started/installation/cpu.md of vLLM',
  get bad() {
    return edit(CPU_POD, ['--dtype=bfloat16', '--dtype=half']);
  },
  good: CPU_POD,
  check,
};
