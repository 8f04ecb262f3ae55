import { randomBytes } from 'node:crypto';
import { NEWEST_RELEASE } from '../../engine/releases';
import { METRICS_PATH } from '../../engine/server';
import { findGroup } from '../group/find';
import { laterOf } from '../group/broken';
import { type KeyGiven, keyOf, without } from '../group/key';
import { isWhole, leaderOf, type LiveGroup, portOf, servedModelOf } from '../group/live';
import { ClusterFailure } from '../kubectl/failure';
import { brokeOff, portForward } from '../kubectl/forward';
import type { Kubectl } from '../kubectl/kubectl';
import { pause } from '../pause';
import { chatOnce } from '../server/chat';
import { type Answer, ask, type Ask } from '../server/http';
import { totalOf } from '../server/metrics';
import { findCounting, type Way } from './counters';
import { hiddenOf, wireFor } from './hidden';
import { judgeProof, type ProveSeen } from './judge';
import type { ProveReport, ProveRequest } from './report';

/** What is to be proved, and how. */
export interface ProveWanted {
  readonly kubectl: Kubectl;
  readonly group?: string;
  readonly key: KeyGiven;
  /** A config.json of the model, where it is not the one that the pods have. */
  readonly config?: { readonly content: unknown; readonly from: string };
  readonly outputTokens: number;
  readonly restSeconds: number;
  /** For the answer. */
  readonly seconds: number;
  readonly way?: Way;
  readonly say: (step: string) => void;
}

/** Counts what each pod does at rest and across one request, and says whether the request crossed them all. */
export async function prove(wanted: ProveWanted): Promise<ProveReport> {
  const { kubectl, say } = wanted;
  const group = await findGroup(kubectl, wanted.group);
  const leader = leaderOf(group);
  const { kind, name, namespace, size } = group;
  const base = { group: { kind, name, namespace, size } };
  if (size === 1) {
    const said = `${kind} ${name} has one pod: there is nothing that a request could cross`;
    return { ...base, verdict: 'not-crossed', said, pods: podsAlone(group) };
  }
  refuse(group);
  const key = await keyOf(kubectl, leader!, wanted.key);
  say('reads the counters');
  const counting = await findCounting(kubectl, group, say, wanted.way);
  const hidden = await hiddenOf(kubectl, leader!, wanted.config);
  const forward = await portForward(kubectl, leader!.name, portOf(group));
  try {
    const door = { base: `http://${forward.host}:${forward.port}` };
    const asks = (what: Ask): Promise<Answer> => ask(door, what);
    const tokens = (): Promise<number | undefined> => tokensOf(asks);
    const before = await tokens();
    const start = await counting.read();
    say(`leaves it at rest for ${wanted.restSeconds} s`);
    await pause(wanted.restSeconds);
    const rested = await counting.read();
    const idle = await tokens();
    say('sends the request');
    const request = await requestOnce(asks, group, key?.value, wanted);
    if (request.status === 401) {
      throw new ClusterFailure(
        'credentials',
        key === undefined
          ? 'the server asks for an API key, and none is known: give it by VLLM_API_KEY, --api-key or --api-key-secret NAME/KEY'
          : `the server refuses the key of ${key.from}; a Secret that was changed is read when the pods start`,
      );
    }
    if (request.status === 0 && (await forward.hasEnded())) {
      // It ends with the server as well, which the cluster says a moment later.
      await pause(2);
      if ((await laterOf(kubectl, group)).changes.length === 0) {
        throw brokeOff(leader!.name);
      }
    }
    if (request.status !== 200 || request.error !== undefined) {
      // Pods may be on their way out: there is nothing more to count.
      return without({ ...base, verdict: 'not-crossed', said: failed(request), request, pods: podsAlone(group) }, key);
    }
    if (request.promptTokens === 0 || request.outputTokens === 0) {
      throw new ClusterFailure(
        'other',
        `the answer counts no tokens (usage), so nothing is known of what it has to bring; \`cdk8s-vllm smoke\` says more`,
      );
    }
    const end = await counting.read();
    const after = await tokens();
    const { changes } = await laterOf(kubectl, group);
    if (changes.length > 0) {
      throw new ClusterFailure(
        'other',
        `the group did not stay as it was, so its counters tell nothing: ${changes.join('; ')}`,
      );
    }
    const seen: ProveSeen = { start, rested, end, request, others: othersOf(before, idle, after, request) };
    const judged = judgeProof(group, seen, wireFor(leader!, hidden));
    return without(
      {
        ...base,
        verdict: judged.verdict,
        said: judged.said,
        request,
        counters: counting.way,
        ...(hidden && { hidden }),
        ...(seen.others && { others: seen.others }),
        pods: judged.pods,
      },
      key,
    );
  } finally {
    await forward.close();
  }
}

function failed({ status, error = '' }: ProveRequest): string {
  const what = status === 0 ? 'was not answered' : `was answered with ${status}`;
  return `the request ${what}: ${error}; \`cdk8s-vllm smoke\` finds the rank where it broke`;
}

/** What cannot be judged by counters. */
function refuse(group: LiveGroup): void {
  const { kind, name, pods } = group;
  if (!isWhole(group)) {
    const whys = pods.filter(({ isReady }) => !isReady).map((pod) => `${pod.name} ${pod.why}`);
    const missing = group.missing.map((rank) => `rank ${rank} has no pod`);
    throw new ClusterFailure(
      'no-group',
      `${kind} ${name} is not ready: ${[...whys, ...missing].join('; ')}; \`cdk8s-vllm smoke\` says more`,
    );
  }
  const host = pods.find(({ hostNetwork }) => hostNetwork);
  if (host !== undefined) {
    throw new ClusterFailure(
      'other',
      `${host.name} has the network of its node (hostNetwork), whose bytes are not its own: nothing can be told by them`,
    );
  }
  const copies = pods[0]?.settings?.dataParallelSize.value;
  if (copies !== undefined && copies > 1) {
    throw new ClusterFailure(
      'other',
      `${kind} ${name} has ${copies} engines side by side (--data-parallel-size), and a request goes to one of them`,
    );
  }
}

/** A prompt that no prefix cache has, and an answer of a length that does not depend on what the model says. */
async function requestOnce(
  asks: (what: Ask) => Promise<Answer>,
  group: LiveGroup,
  key: string | undefined,
  { outputTokens, seconds }: ProveWanted,
): Promise<ProveRequest> {
  const model = servedModelOf(group) ?? '';
  const prompt = `${randomBytes(8).toString('hex')}: tell what a request does on its way through two machines.`;
  const questions = { model, key, release: NEWEST_RELEASE, outputTokens };
  let seen = await chatOnce(asks, questions, prompt, { seconds });
  if (seen.status === 400 && /chat.template/i.test(seen.text)) {
    seen = await chatOnce(asks, questions, prompt, { seconds, api: 'text' });
  }
  const { status, promptTokens, cachedTokens, error } = seen;
  return {
    model,
    status,
    seconds: seen.seconds,
    promptTokens,
    cachedTokens,
    outputTokens: seen.outputTokens,
    ...(status === 200 ? error !== undefined && { error } : { error: seen.text }),
  };
}

/** Tokens that the server has worked on since it started, by its own count. */
async function tokensOf(asks: (what: Ask) => Promise<Answer>): Promise<number | undefined> {
  const { status, text } = await asks({ path: METRICS_PATH, seconds: 30 });
  const [prompt, generated] = ['vllm:prompt_tokens_total', 'vllm:generation_tokens_total'].map((name) =>
    status === 200 ? totalOf(name, text) : undefined,
  );
  return prompt === undefined || generated === undefined ? undefined : prompt + generated;
}

function othersOf(
  before: number | undefined,
  idle: number | undefined,
  after: number | undefined,
  { promptTokens, outputTokens }: ProveRequest,
): ProveReport['others'] {
  return before === undefined || idle === undefined || after === undefined
    ? undefined
    : { atRest: idle - before, request: Math.max(0, after - idle - promptTokens - outputTokens) };
}

function podsAlone({ pods }: LiveGroup): ProveReport['pods'] {
  return pods.map(({ rank, role, name, node = '', address }) => ({
    rank,
    role,
    name,
    node,
    ...(address !== undefined && { address }),
  }));
}
