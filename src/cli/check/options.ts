import { didYouMean } from '../../common/nearest';
import { Flags, type Given, type Option, type OptionGroups } from '../flags';
import { WrongInput } from '../terminal';
import { FACTS, type RuleFacts, type Target } from './judge';

/** The flags by what they are about, in the order of the usage. */
export const OPTIONS: OptionGroups = {
  'What to say': [
    { name: '--rule', value: 'ID', help: 'these alone: an id, or a pattern: lws/*; repeatable' },
    { name: '--ignore', value: 'ID', help: 'not these; repeatable' },
    { name: '--fail-on', value: 'LEVEL', help: 'what exits with 1: error, warning (default), never' },
  ],
  'The cluster': [
    { name: '--lws', value: 'VERSION', help: 'its LeaderWorkerSet controller, as 0.9.0' },
    { name: '--kubernetes', value: 'VERSION', help: 'its API server, as 1.36' },
  ],
  'How to say it': [
    { name: '--output', alias: '-o', value: 'FORMAT', help: 'text (default), json, sarif, github' },
    { name: '--quiet', alias: '-q', help: 'errors and warnings alone, and no summary' },
    { name: '--list-rules', help: 'every id with what it says, and nothing else' },
    { name: '--explain', value: 'ID', help: 'what one finding is about, with examples' },
    { name: '--help', alias: '-h', help: 'this text' },
  ],
};

export const FORMATS = ['text', 'json', 'sarif', 'github'] as const;
export type Format = (typeof FORMATS)[number];

/** What counts against the exit code. */
export type FailOn = 'error' | 'warning' | 'never';

/** What the command line asks for. */
export interface Options {
  readonly action: 'check' | 'explain' | 'list-rules' | 'help';
  readonly files: readonly string[];
  /** What `--explain` asks about. */
  readonly explain: RuleFacts | undefined;
  readonly isWanted: (id: string) => boolean;
  readonly failOn: FailOn;
  readonly target: Target;
  readonly format: Format;
  readonly isQuiet: boolean;
}

const FLAGS = new Flags(OPTIONS);

export function readOptions(args: readonly string[]): Options {
  const given = FLAGS.read(args);
  const files = given.words;
  const explain = explainedBy(given.last('--explain'));
  const action = given.has('--help')
    ? 'help'
    : given.has('--list-rules')
      ? 'list-rules'
      : explain !== undefined
        ? 'explain'
        : 'check';
  if (action === 'check' && files.length === 0) {
    throw new WrongInput('which files? name files or folders, or - for the standard input');
  }
  return {
    action,
    files,
    explain,
    isWanted: wantedBy(given.all('--rule'), given.all('--ignore')),
    failOn: given.oneOf('--fail-on', ['warning', 'error', 'never']),
    target: { ...versionOf('--kubernetes', given), ...versionOf('--lws', given) },
    format: given.oneOf('--output', FORMATS),
    isQuiet: given.has('--quiet'),
  };
}

function versionOf(name: '--kubernetes' | '--lws', given: Given): Target {
  const value = given.last(name);
  if (value === undefined) {
    return {};
  }
  const found = /^v?(\d{1,4}(?:\.\d{1,4}){1,2})$/.exec(value);
  if (!found) {
    throw new WrongInput(`${name} is '${value}'; it takes a version, as ${name === '--kubernetes' ? '1.36' : '0.9.0'}`);
  }
  return { [name.slice(2)]: found[1]! };
}

function explainedBy(id: string | undefined): RuleFacts | undefined {
  const facts = id === undefined ? undefined : FACTS.get(id);
  if (id !== undefined && facts === undefined) {
    throw new WrongInput(`no finding is called '${id}'${didYouMean(id, FACTS.keys()) || '; --list-rules lists them'}`);
  }
  return facts;
}

function wantedBy(rules: readonly string[], ignored: readonly string[]): (id: string) => boolean {
  const [only, not] = [patternsOf('--rule', rules), patternsOf('--ignore', ignored)];
  return (id) =>
    (only.length === 0 || only.some((pattern) => pattern.test(id))) && !not.some((pattern) => pattern.test(id));
}

function patternsOf(name: string, values: readonly string[]): RegExp[] {
  const known = [...FACTS.keys()];
  const words = values.flatMap((value) => value.split(',')).filter((word) => word !== '');
  return words.map((word) => {
    const pattern = new RegExp(
      `^${word.replace(/[^*]/g, (letter) => (/[\w/-]/.test(letter) ? letter : `\\${letter}`)).replace(/\*+/g, '.*')}$`,
      'u',
    );
    if (!known.some((id) => pattern.test(id))) {
      const groups = [...new Set(known.map((id) => id.slice(0, id.indexOf('/'))))];
      const nearest = word.includes('*') ? `; groups are ${groups.join(', ')}` : didYouMean(word, known);
      throw new WrongInput(`${name}: no finding is called '${word}'${nearest || '; --list-rules lists them'}`);
    }
    return pattern;
  });
}

const LABEL_WIDTH = 24;

/** The text of `--help`. */
export function usage(): string {
  const line = ({ name, alias, value, help }: Option): string => {
    const label = `${alias === undefined ? '' : `${alias}, `}${name}${value === undefined ? '' : ` ${value}`}`;
    return `  ${label.padEnd(LABEL_WIDTH)}${help}`;
  };
  return [
    'usage: cdk8s-vllm check [FLAGS] FILE|FOLDER|- ...',
    '',
    'What is wrong with manifests that run vLLM, whoever wrote them; - reads the',
    'standard input. It asks nobody: no cluster, no network.',
    'Exit code 0: clean, 1: findings, 2: something could not be read.',
    ...Object.entries(OPTIONS).flatMap(([title, group]) => ['', title, ...group.map(line)]),
    '',
    'for example',
    '  cdk8s-vllm check deploy/',
    '  helm template ./chart | cdk8s-vllm check -',
    '  kustomize build . | cdk8s-vllm check --lws 0.9.0 -o sarif - > check.sarif',
    '',
  ].join('\n');
}
