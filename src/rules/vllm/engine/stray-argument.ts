import type { Rule } from '../../rule';
import { eachEngine } from './engines';
import { withArguments } from './manifests';

/** What people write behind a switch. */
const ON_OFF = /^(true|false|yes|no|on|off)$/i;

const check = eachEngine(function* ({ engine: { command, image } }) {
  if (command.form !== 'serve' || command.unknownFlags.length > 0 || image?.version === undefined) {
    return;
  }
  const { model } = command;
  // The image's own program is `vllm serve`, so a second `serve` is read as the model.
  if (model?.text.value === 'serve' && command.strays.length > 0) {
    yield {
      path: model.path,
      what: "the argument 'serve' is taken for the model: the image starts with 'vllm serve' already",
      fix: "leave 'serve' out",
    };
    return;
  }
  const words = [...(ON_OFF.test(model?.text.value ?? '') ? [model!] : []), ...command.strays];
  for (const { text, path } of words) {
    // Words with blanks, and templates that were not filled in, are for other rules.
    if (text.value !== undefined && text.value !== '' && !/[\s${}]/.test(text.value)) {
      yield {
        path,
        what: `the argument '${text.value}' belongs to no flag`,
        ...(ON_OFF.test(text.value) && { fix: 'leave it out: a switch takes no value, and --no-… turns it off' }),
      };
    }
  }
});

export const strayArgument: Rule = {
  id: 'vllm/stray-argument',
  severity: 'error',
  title: 'an argument that belongs to no flag',
  why: 'vLLM refuses its command line: "unrecognized arguments"',
  fix: 'leave it out, or put the flag before it',
  source: 'utils/argparse_utils.py of vLLM',
  get bad() {
    return withArguments('--enable-prefix-caching', '"true"');
  },
  get good() {
    return withArguments('--enable-prefix-caching');
  },
  check,
};
