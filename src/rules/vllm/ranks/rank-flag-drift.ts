import { compareVersions } from '../../../common/versions';
import { CPU_GROUP, edit } from '../../examples';
import type { Report, Rule, RuleInput } from '../../rule';
import { driftsOf, isUnfilled, SMALLEST_COUNTS } from './drift';
import { environmentPathOf, isMultiNode, pairsOf, type Rank, once } from './engines';

const PARTITION = 'VLLM_PP_LAYER_PARTITION';
const KV_SPACE = 'VLLM_CPU_KVCACHE_SPACE';
const SMALLEST = 'all ranks then get the blocks of the one with the least, and the rest of the memory is not used';

function* check(input: RuleInput): Iterable<Report> {
  for (const { leader, worker } of pairsOf(input)) {
    if (areOneEngine(leader, worker)) {
      yield* flags(leader, worker);
      yield* model(leader, worker);
      yield* variables(leader, worker);
      yield* images(leader, worker);
    }
  }
}

/** Whether both are parts, or copies, of one engine; a group may hold others beside each other. */
function areOneEngine(leader: Rank, worker: Rank): boolean {
  const ranks = [leader, worker];
  return (
    ranks.some(isMultiNode) ||
    ranks.every(({ settings: { dataParallelSize } }) => dataParallelSize.isGiven && dataParallelSize.value !== 1)
  );
}

function* flags(leader: Rank, worker: Rank): Iterable<Report> {
  for (const { name, leader: ours, worker: theirs, path } of driftsOf(leader, worker)) {
    yield {
      object: leader.group.object,
      path,
      what: `${name} is ${short(ours)} on the leader and ${short(theirs)} on the worker`,
      fix: `give both the same ${name}`,
      ...(SMALLEST_COUNTS.has(name) && { severity: 'note', why: SMALLEST }),
    };
  }
}

function short(words: string): string {
  return words.length > 80 ? `${words.slice(0, 79)}…` : words;
}

/** A repository on Hugging Face; the same weights may well lie under two paths. */
const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

function* model(leader: Rank, worker: Rank): Iterable<Report> {
  const [ours, theirs] = [leader, worker].map(({ settings }) => settings.model.value);
  if (
    ours !== undefined &&
    theirs !== undefined &&
    ours !== theirs &&
    [ours, theirs].every((name) => REPOSITORY.test(name) && !name.startsWith('.'))
  ) {
    yield {
      object: leader.group.object,
      path: worker.settings.model.path,
      what: `the model is ${ours} on the leader and ${theirs} on the worker`,
      fix: 'give both the same model',
    };
  }
}

function* variables(leader: Rank, worker: Rank): Iterable<Report> {
  const partition = leader.settings.pipelineParallelSize.value === 1 ? undefined : compare(PARTITION, leader, worker);
  if (partition !== undefined) {
    yield { ...partition, fix: `give both the same ${PARTITION}` };
  }
  const space = compare(KV_SPACE, leader, worker);
  if (space !== undefined) {
    yield { ...space, severity: 'note', why: SMALLEST, fix: `give both the same ${KV_SPACE}` };
  }
}

function compare(name: string, leader: Rank, worker: Rank): Pick<Report, 'object' | 'path' | 'what'> | undefined {
  const [ours, theirs] = [leader, worker].map(({ engine }) => engine.variable(name));
  const isOpen = [leader, worker].some(
    ({ engine, command }) =>
      engine.variable(name) === undefined && (engine.environment.unread.length > 0 || !command.isComplete),
  );
  const isSame = ours && theirs ? ours.text.sameAs(theirs.text) : ours === theirs;
  if (isOpen || isSame !== false || [ours, theirs].some((each) => each !== undefined && isUnfilled(each.text))) {
    return undefined;
  }
  const words = (variable: typeof ours): string => variable?.text.toString() ?? 'not set';
  return {
    object: leader.group.object,
    path: theirs?.path ?? environmentPathOf(worker.engine),
    what: `${name} is ${words(ours)} on the leader and ${words(theirs)} on the worker`,
  };
}

function* images(leader: Rank, worker: Rank): Iterable<Report> {
  const [ours, theirs] = [leader, worker].map(({ engine }) => engine.image?.version);
  if (ours !== undefined && theirs !== undefined && compareVersions(ours, theirs) !== 0) {
    const isPatch = ours.split('.', 2).join('.') === theirs.split('.', 2).join('.');
    yield {
      object: leader.group.object,
      path: `${worker.engine.path}.image`,
      what: `the leader runs vLLM ${ours} and the worker ${theirs}`,
      why: 'what ranks send each other has no fixed form: it changes between releases',
      fix: 'give both the same image',
      ...(isPatch && { severity: 'warning' }),
    };
  }
}

export const rankFlagDrift: Rule = {
  id: 'vllm/rank-flag-drift',
  severity: 'error',
  title: 'leader and worker are not told the same about the engine',
  why: 'each rank builds its part from its own flags: they wait for each other without a word, or compute with other shapes',
  fix: 'give all ranks the same flags; --node-rank, --headless and what the HTTP server reads may differ',
  source: 'docs/serving/parallelism_scaling.md of vLLM; sizes and ports run on 0.32.0, where both ranks hang',
  get bad() {
    return edit(CPU_GROUP, [
      '              - --headless\n',
      '              - --headless\n              - --master-port=29600\n',
    ]);
  },
  good: CPU_GROUP,
  check: once(check),
};
