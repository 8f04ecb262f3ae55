import { edit, CPU_POD } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { withVariables } from './manifests';
import { isGemma2Or3 } from './models';

const check = eachEngine(function* (at) {
  const { value, path } = at.settings.dtype;
  if ((value === 'float16' || value === 'half') && isGemma2Or3(at)) {
    yield { path, what: `dtype is ${value}, and ${at.settings.model.value} is of the Gemma 2 and 3 family` };
  }
});

const GEMMA = (): string =>
  edit(withVariables({ HF_TOKEN: 'valueFrom: { secretKeyRef: { name: hub, key: token } }' }, CPU_POD), [
    'Qwen/Qwen3-0.6B',
    'google/gemma-3-1b-it',
  ]);

export const gemma3Float16: Rule = {
  id: 'vllm/gemma3-float16',
  severity: 'error',
  title: 'Gemma 2 or 3 in float16',
  why: 'vLLM refuses it as numerically unstable: "does not support float16"',
  fix: 'take --dtype=bfloat16, or float32',
  source: 'config/model.py; refused by 0.32.0',
  get bad() {
    return edit(GEMMA(), ['--dtype=bfloat16', '--dtype=float16']);
  },
  get good() {
    return GEMMA();
  },
  check,
};
