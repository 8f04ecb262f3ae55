import type { Wire } from '../../fit/plan-types';
import { type ExpectedBytes, expectedBytes, judgeReceived } from '../crossing';
import type { LiveGroup } from '../group/live';
import type { Counters } from './counters';
import type { ProvePod, ProveReport, ProveRequest, ProveWindow } from './report';

/** Counters before and after the time at rest, and after the request. */
export interface ProveSeen {
  readonly start: readonly Counters[];
  readonly rested: readonly Counters[];
  readonly end: readonly Counters[];
  readonly request: ProveRequest;
  readonly others: ProveReport['others'];
}

type Judged = Pick<ProveReport, 'verdict' | 'said' | 'pods'>;

/** Tokens that others may have had without hiding anything: none. */
const NOISY_TOKENS = 0;

/** What the counters say of one request that was answered. */
export function judgeProof(group: LiveGroup, seen: ProveSeen, wire: Wire | undefined): Judged {
  const { request, others } = seen;
  const leader = group.pods[0]!;
  const [stages, shares] = [leader.settings?.pipelineParallelSize.value, leader.settings?.tensorParallelSize.value];
  const expected = expectedBytes(
    wire,
    { stages: stages ?? group.size, shares: shares ?? 1 },
    { prompt: request.promptTokens - request.cachedTokens, output: request.outputTokens },
  );
  const pods = podsOf(group, seen, { ...expected, isMeasured: stages === 2 && shares === 1 });
  const judged = (verdict: ProveReport['verdict'], said: string): Judged => ({ verdict, said, pods });
  const foreign = [
    ...((others?.atRest ?? 0) > NOISY_TOKENS ? [`${others!.atRest} while it was to be at rest`] : []),
    ...((others?.request ?? 0) > NOISY_TOKENS ? [`${others!.request} during the request`] : []),
  ];
  if (foreign.length > 0) {
    return judged(
      'not-judged',
      `others used the server: it worked on tokens of theirs, ${foreign.join(' and ')}; try again when nobody does`,
    );
  }
  const back = pods.filter(({ atRest, request: window }) => [atRest, window].some((each) => each && wentBack(each)));
  if (back.length > 0) {
    const names = back.map(({ name }) => name).join(', ');
    return judged(
      'not-judged',
      `the counters of ${names} went back meanwhile: its network or its container was made anew; try again`,
    );
  }
  const silent = pods.filter(({ verdict }) => verdict === 'silent');
  if (silent.length > 0) {
    const bytes = silent.map(({ name, request: window, least }) => `${name} got ${window!.received} B of ${least} B`);
    return judged('not-crossed', `${bytes.join(', ')} that the request has to bring: it did not work on it`);
  }
  const drowned = pods.filter(({ verdict }) => verdict === 'drowned');
  if (drowned.length > 0) {
    const bytes = drowned.map(({ name, ifUntouched, least }) => `${name} gets ${ifUntouched} B, ${least} B`);
    return judged(
      'not-judged',
      `what comes at rest hides it: in the time of the request ${bytes.join(', ')} have to stand out; ` +
        'a longer request (--tokens) stands out more, or find what else talks to the pods',
    );
  }
  return placed(pods, judged);
}

/** Bytes that went from pod to pod may have stayed on one machine. */
function placed(pods: readonly ProvePod[], judged: (verdict: ProveReport['verdict'], said: string) => Judged): Judged {
  const nodes = new Set(pods.map(({ node }) => node));
  const together = pods.filter(({ node }, i) => pods.findIndex((pod) => pod.node === node) !== i);
  if (nodes.size === 1) {
    return judged(
      'not-crossed',
      `all ${pods.length} pods worked, and all of them on ${[...nodes].join('')}: no network lies between`,
    );
  }
  return judged(
    'crossed',
    `the request worked on all ${pods.length} pods, on ${nodes.size} nodes` +
      (together.length > 0 ? ` (${together.map(({ name, node }) => `${name} shares ${node}`).join(', ')})` : ''),
  );
}

function podsOf(
  group: LiveGroup,
  { start, rested, end }: ProveSeen,
  { least, predicted, isMeasured }: ExpectedBytes & { readonly isMeasured: boolean },
): ProvePod[] {
  return group.pods.map(({ rank, role, name, node = '', address }): ProvePod => {
    const [first, second, third] = [start, rested, end].map((list) => list.find((each) => each.rank === rank)!) as [
      Counters,
      Counters,
      Counters,
    ];
    const [atRest, request] = [windowOf(first, second), windowOf(second, third)];
    const base = { rank, role, name, node, ...(address !== undefined && { address }), atRest, request };
    const bytes = isMeasured && predicted;
    if (rank === 0) {
      return { ...base, ...(bytes && { predicted: { received: bytes.backward, sent: bytes.forward } }) };
    }
    const ifUntouched = Math.round(atRest.seconds > 0 ? (atRest.received * request.seconds) / atRest.seconds : 0);
    return {
      ...base,
      ...(bytes && { predicted: { received: bytes.forward, sent: bytes.backward } }),
      ifUntouched,
      least,
      verdict: judgeReceived(request.received, ifUntouched, least),
    };
  });
}

/** Counters only grow, as time does: those that do not were begun again. */
function wentBack({ seconds, cpuSeconds = 0, received, sent }: ProveWindow): boolean {
  return seconds <= 0 || cpuSeconds < 0 || received < 0 || sent < 0;
}

function windowOf(from: Counters, to: Counters): ProveWindow {
  return {
    seconds: to.at - from.at,
    ...(to.cpuSeconds !== undefined &&
      from.cpuSeconds !== undefined && { cpuSeconds: to.cpuSeconds - from.cpuSeconds }),
    received: to.received - from.received,
    sent: to.sent - from.sent,
  };
}
