import { planCommandLine } from '../../fit/command-line';
import type { PlanInput } from '../../fit/plan-input';
import type { Alternative, Plan } from '../../fit/plan-types';
import { WrongInput } from '../terminal';
import { type Arguments, readArguments } from './options';
import { requestOf } from './request';

/** A configuration that fits, and the command that plans it. */
export interface Suggestion {
  readonly change: string;
  /** The words of the command; none when no flags of this command make it. */
  readonly command: readonly string[] | undefined;
}

/** The nearest configurations that fit, as commands. Each was planned once more as it stands: none is printed that fails. */
export function suggestions(plan: Plan, input: PlanInput, given: Arguments): Suggestion[] {
  return plan.nearest.map((alternative) => {
    const changed = changedArguments(alternative, input, given);
    return { change: alternative.change, command: changed && commandOf(changed, input) };
  });
}

function changedArguments({ flags, without }: Alternative, input: PlanInput, given: Arguments): Arguments | undefined {
  const changed = new Map(given.flags);
  for (const name of ['--output', '--explain', '--nodes']) {
    changed.delete(name);
  }
  // Said out loud: what was made from the number of nodes would be another split with another number.
  changed.set('-pp', String(input.pipelineParallelSize));
  changed.set('-tp', String(input.tensorParallelSize));
  if (changed.has('--max-model-len') && input.maxModelLen !== undefined) {
    changed.set('--max-model-len', String(input.maxModelLen));
  }
  if (flags.length === 0 && without.length === 0) {
    return undefined;
  }
  without.forEach((name) => changed.delete(name));
  readArguments(flags).flags.forEach((value, name) => changed.set(name, value));
  // Nodes are those that the ranks need, times the replicas; a partition is for one number of stages.
  changed.delete('--nodes');
  if (changed.get('-pp') !== String(input.pipelineParallelSize)) {
    changed.delete('--layer-partition');
  }
  if (changed.get('-tp') === '1') {
    changed.delete('-tp');
  }
  return { flags: changed, words: given.words, ignored: [] };
}

function commandOf(changed: Arguments, { model }: PlanInput): readonly string[] | undefined {
  const planned = planOf(changed, model);
  if (planned?.fits === true) {
    return wordsOf(changed);
  }
  if (planned === undefined || changed.flags.has('--max-num-batched-tokens')) {
    return undefined;
  }
  // A cache of a given size may be too small for the batched tokens that vLLM takes by itself.
  const fewer = new Map(changed.flags).set('--max-num-batched-tokens', '256');
  const smaller = { flags: fewer, words: changed.words, ignored: [] };
  return planOf(smaller, model)?.fits === true ? wordsOf(smaller) : undefined;
}

function planOf(given: Arguments, model: PlanInput['model']): Plan | undefined {
  try {
    return planCommandLine(requestOf(given, model).input);
  } catch (error) {
    if (error instanceof WrongInput) {
      return undefined;
    }
    throw error;
  }
}

function wordsOf({ flags, words }: Arguments): string[] {
  return [
    'cdk8s-vllm plan',
    ...words.map(quoted),
    ...[...flags].map(([name, value]) => (value === '' ? name : `${name} ${quoted(value)}`)),
  ];
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
