import { nearestOfFirst } from '../../../common/nearest';
import { nameOfArgument, type ServeFlag, serveFlags } from '../../../engine/flags';
import type { UnknownFlag } from '../../../manifest';
import type { Rule } from '../../rule';
import { eachEngine, type EngineAt, type EngineReport, releaseWords } from './engines';
import { withArguments } from './manifests';

function span({ since, until }: ServeFlag): string {
  return [since && `came with ${since}`, until && `was there until ${until}`].filter(Boolean).join(' and ');
}

function fixOf({ match, spelling }: UnknownFlag, nearestTo: (name: string) => string | undefined): string {
  if (match.kind === 'ambiguous') {
    return `write one of them in full: ${match.names.slice(0, 4).join(', ')}`;
  }
  if (match.flag !== undefined) {
    return 'leave it out, or take a release that has it';
  }
  const name = nameOfArgument(spelling);
  // A switch that lost its first word: --log-requests for --enable-log-requests.
  const longer = name.replace(/^--/, '--enable-');
  const known = serveFlags().has(longer) ? longer : nearestTo(name);
  return known === undefined ? 'leave it out' : `leave it out, or write ${known} if that is meant`;
}

const check: Rule['check'] = (input) => {
  const names = [...serveFlags().keys()];
  const nearest = nearestOfFirst();
  return eachEngine((at) => find(at, (name) => nearest(name, names)))(input);
};

function* find(at: EngineAt, nearestTo: (name: string) => string | undefined): Iterable<EngineReport> {
  for (const unknown of at.engine.command.unknownFlags) {
    const { spelling, match, isCertain, path } = unknown;
    // Several flags in one word, and what nothing filled in, are for other rules. Other releases know other abbreviations.
    if (/[\s${}]/.test(spelling) || (!isCertain && match.kind === 'ambiguous')) {
      continue;
    }
    const when = match.kind === 'unknown' && match.flag !== undefined ? `: it ${span(match.flag)}` : '';
    yield {
      path,
      what:
        match.kind === 'ambiguous'
          ? `${spelling} is short for several flags of ${releaseWords(at)}`
          : `${releaseWords(at)} has no flag ${spelling}${when}`,
      fix: fixOf(unknown, nearestTo),
      ...(!isCertain && {
        what: `${spelling} is no flag of the releases that are known here${when}; whether ${releaseWords(at)} has it is not known`,
        severity: 'note' as const,
      }),
    };
  }
}

export const unknownFlag: Rule = {
  id: 'vllm/unknown-flag',
  severity: 'error',
  title: 'a flag that the release does not have',
  why: 'vLLM refuses its command line and ends: "unrecognized arguments"',
  fix: 'leave it out',
  holds: 'images that name a release from 0.20.0 to 0.32.0; a note for others',
  source: 'the flags of vllm serve in the wheels of 0.20.0 to 0.32.0',
  get bad() {
    return withArguments('--swap-space=4');
  },
  get good() {
    return withArguments('--max-num-seqs=64');
  },
  check,
};
