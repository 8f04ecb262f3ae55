import { planCommandLine } from '../../fit/command-line';
import { explain } from '../../fit/explain';
import type { PlanInput } from '../../fit/plan-input';
import { json, type Terminal, WrongInput } from '../terminal';
import { suggestions } from './alternatives';
import type { PlanDocument } from './document';
import { type Arguments, readArguments, usage, wantsJson } from './options';
import { requestOf } from './request';
import { table } from './table';

/** `cdk8s-vllm plan`: prints the plan and gives the exit code, 0 when it fits and 1 when it does not. */
export function plan(args: readonly string[], terminal: Terminal): number {
  try {
    const given = readArguments(args);
    if (given.flags.has('--help')) {
      terminal.out(usage());
      return 0;
    }
    return answer(given, terminal);
  } catch (error) {
    // A program that reads JSON finds the reason where it looks for the answer; the message for people is on its way as well.
    if (error instanceof WrongInput && wantsJson(args)) {
      terminal.out(json({ error: error.message }));
    }
    throw error;
  }
}

function answer(given: Arguments, terminal: Terminal): number {
  const { input: asked, longest, output, explain: explaining } = requestOf(given);
  const input = longest ? withLongest(asked) : asked;
  const found = planCommandLine(input);
  const explanation = explaining ? explain(found, input) : undefined;
  if (output === 'json') {
    const document: PlanDocument = { ...found, ...(explanation && { explanation }) };
    terminal.out(json(document));
  } else {
    const nearest = suggestions(found, input, given);
    const text = table(found, {
      input: asked,
      longest,
      nearest,
      explanation,
      ignored: given.ignored,
      colour: terminal.colour,
    });
    terminal.out(text);
  }
  return found.fits ? 0 : 1;
}

/** The longest request that the cache serves, which vLLM finds out by itself for `--max-model-len=auto`. */
function withLongest(input: PlanInput): PlanInput {
  const first = planCommandLine(input);
  if (first.kvCache === null) {
    if (first.parallelism.layersPerStage.length === 0) {
      return input;
    }
    throw new WrongInput(
      '--max-model-len is auto, but no cache numbers are known here, so that nobody can say what fits; give a number of tokens',
    );
  }
  const longest = first.kvCache.longestModelLen;
  return longest > 0 ? { ...input, maxModelLen: longest } : input;
}
