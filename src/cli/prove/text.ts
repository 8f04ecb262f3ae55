import type { ProvePod, ProveReport, ProveWindow } from '../../operate/prove/report';
import { GREEN, marked, RED, YELLOW } from '../paint';
import { columns, wrap } from '../plan/layout';
import { printable } from '../terminal';

const VERDICTS = { crossed: GREEN, 'not-crossed': RED, 'not-judged': YELLOW } as const;
const WORDS = { crossed: 'crossed', 'not-crossed': 'did not cross', 'not-judged': 'not judged' } as const;

/** The report for a person, in 80 columns: the verdict, the counters, and what it rests on. */
export function textOf(report: ProveReport, colour: boolean): string {
  const { verdict, said, group, pods } = report;
  const [first = '', ...rest] = wrap(`${WORDS[verdict]}: ${said}`, 0, 2).map(printable);
  const word = WORDS[verdict];
  const sections = [
    [`${marked(word, VERDICTS[verdict], colour)}${first.slice(word.length)}`, ...rest],
    [
      `${group.kind} ${group.name} in ${group.namespace}`,
      ...columns(
        pods.map(({ rank, name, role, node, address }) => [String(rank), name, role, node, address ?? '']),
        [0, 1, 2, 3, 4],
      ),
    ].map(printable),
    requestLines(report).map(printable),
    pods.some(({ request }) => request !== undefined) ? counterLines(report) : [],
    hypothesisLines(report).map(printable),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function requestLines({ request }: ProveReport): string[] {
  if (request === undefined || request.status !== 200) {
    return [];
  }
  const { model, seconds, promptTokens, cachedTokens, outputTokens } = request;
  const cached = cachedTokens === 0 ? '' : ` (${cachedTokens} of them from the cache)`;
  return wrap(
    `The request: ${promptTokens} tokens in${cached}, ${outputTokens} out, ${seconds.toFixed(1)} s, by ${model}`,
    0,
    2,
  );
}

function counterLines({ pods, counters }: ProveReport): string[] {
  const bytes = (value: number): string => Math.round(value).toLocaleString('en-US');
  const row = (rank: number, what: string, { seconds, cpuSeconds, received, sent }: ProveWindow): string[] => [
    String(rank),
    what,
    seconds.toFixed(1),
    cpuSeconds === undefined ? '?' : cpuSeconds.toFixed(2),
    bytes(received),
    bytes(sent),
  ];
  const rows = pods.flatMap(({ rank, atRest, request, predicted }) => [
    ...(atRest ? [row(rank, 'at rest', atRest)] : []),
    ...(request ? [row(rank, 'the request', request)] : []),
    ...(predicted ? [[String(rank), 'predicted', '', '', bytes(predicted.received), bytes(predicted.sent)]] : []),
  ]);
  return [
    `Counters ${counters === 'exec' ? 'within the containers' : 'of the kubelets'}`,
    ...columns([['rank', '', 'seconds', 'CPU s', 'bytes in', 'bytes out'], ...rows], [0, 1]),
  ];
}

function hypothesisLines({ pods, hidden, request }: ProveReport): string[] {
  if (request?.status !== 200) {
    return [];
  }
  const basis =
    hidden === undefined
      ? 'The hidden size of the model is not known, so nothing is predicted (--config names its config.json).'
      : `Hidden states of ${hidden.size} numbers, by ${hidden.from}.`;
  return [
    ...wrap('Null hypothesis: the request does not touch the worker, which gets what it gets at rest.', 0, 2),
    ...pods.flatMap((pod) => (pod.verdict === undefined ? [] : wrap(`- ${found(pod)}`, 2, 4))),
    ...wrap(basis, 0, 2),
  ];
}

function found({ rank, request, ifUntouched, least, verdict }: ProvePod): string {
  const bytes = (value: number): string => `${Math.round(value).toLocaleString('en-US')} B`;
  const end = { crossed: 'it is rejected', silent: 'it stands', drowned: 'it cannot be told' }[verdict!];
  return `rank ${rank}: then ${bytes(ifUntouched!)}, if touched at least ${bytes(least!)}; it got ${bytes(request!.received)}: ${end}`;
}
