import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, variableAt } from './engines';
import { modelOf } from './models';

/** Flags that make another length of the one in config.json. */
const LENGTHENING = ['--rope-scaling', '--rope-theta', '--config-format', '--tokenizer-mode'];

const check = eachEngine(function* (at) {
  const { value, path } = at.settings.maxModelLen;
  const model = modelOf(at);
  const { command } = at.engine;
  const isLengthened =
    LENGTHENING.some((name) => command.isSet(name) === true) ||
    command.unknownFlags.some(({ spelling }) => spelling.startsWith('--rope')) ||
    !['', '0'].includes(variableAt(at, 'VLLM_ALLOW_LONG_MAX_MODEL_LEN')?.text.toString() ?? '');
  if (model !== undefined && value !== undefined && value > model.contextLength && !isLengthened) {
    yield {
      path,
      what: `max-model-len is ${value}; ${model.name} was made for ${model.contextLength} tokens`,
      fix: `take at most ${model.contextLength}`,
    };
  }
});

export const contextTooLong: Rule = {
  id: 'vllm/context-too-long',
  severity: 'error',
  title: 'max-model-len is longer than the model allows',
  why: 'vLLM takes no more than config.json allows: "max_model_len is greater than the derived max_model_len"',
  fix: 'take at most what the model was made for',
  holds: 'models of the catalogue',
  source: 'config/model.py; refused by 0.32.0',
  get bad() {
    return edit(CPU_POD, ['--max-model-len=8192', '--max-model-len=131072']);
  },
  good: CPU_POD,
  check,
};
