import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as bootstrap from '../../../src/bootstrap';
import { run } from '../../../src/cli/bootstrap/command';
import { EXAMPLE, exampleFile, HAS_MODELS, world, type World } from './world';

/** A parameter of a line of the article, and where it stands in our call. */
interface Parameter {
  readonly option: string;
  readonly path: string;
  /** What the article gives it. */
  readonly value?: unknown;
  /** For a placeholder: where the file gives it. */
  readonly given?: string;
  /** What is done in its place. */
  readonly instead?: string;
}
interface Line {
  readonly line: string;
  readonly call: string;
  readonly where?: Readonly<Record<string, unknown>>;
  readonly parameters: readonly Parameter[];
  /** What we give and the article does not, with the reason. */
  readonly further: Readonly<Record<string, string>>;
}

const ARTICLE = JSON.parse(readFileSync(join(__dirname, '../../fixtures/bootstrap-article.json'), 'utf8')) as Line[];
const GOLDEN = join(__dirname, '../../fixtures/bootstrap-calls.json');

type Input = Readonly<Record<string, unknown>>;
let made: World;
let calls: { name: string; input: Input }[];

beforeAll(async () => {
  if (HAS_MODELS) {
    made = await world();
    const { succeeded } = await bootstrap.applyCluster(exampleFile(), made.options);
    await made.peer.close();
    expect(succeeded).toBe(true);
    calls = made.peer.calls
      .filter(({ name }) => !/\.(Describe|List|Get)/.test(name))
      .map(({ name, input }) => ({ name, input }));
  }
});

/** What stands at a path, `undefined` when nothing does. */
function at(input: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Input | undefined)?.[key], input);
}

/** The paths of a call: members of structures, lists and tags as a whole. */
function paths(input: Input, prefix = ''): string[] {
  return Object.entries(input).flatMap(([key, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && key !== 'tags'
      ? paths(value as Input, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

function callOf({ call, where = {} }: Line): Input {
  const found = calls.filter(
    ({ name, input }) => name === call && Object.entries(where).every(([key, value]) => input[key] === value),
  );
  expect(found).toHaveLength(1);
  return found[0]!.input;
}

describe.skipIf(!HAS_MODELS)('the plan of the reference cluster', () => {
  // docs/bootstrap.md shows it.
  test('is that of the golden file', async () => {
    const empty = await world();
    let out = '';
    const terminal = { out: (text: string) => void (out += text), error: () => undefined, colour: false };
    const options = { action: 'plan', file: EXAMPLE, dryRun: false, replace: false, yes: false, json: false } as const;
    expect(await run(options, terminal, bootstrap, empty.options)).toBe(0);
    await empty.peer.close();
    expect(empty.peer.violations).toEqual([]);
    await expect(out).toMatchFileSnapshot(join(__dirname, '../../fixtures/bootstrap-plan.txt'));
  });
});

describe.skipIf(!HAS_MODELS)('the calls that make the reference cluster', () => {
  test('are those of the golden file', async () => {
    // Steps run side by side: the order among them is not fixed, the calls are.
    const sorted = [...calls].sort((a, b) =>
      JSON.stringify([a.name, a.input]) < JSON.stringify([b.name, b.input]) ? -1 : 1,
    );
    await expect(`${JSON.stringify(sorted, undefined, 2)}\n`).toMatchFileSnapshot(GOLDEN);
  });

  test('come in an order that AWS takes', () => {
    const order = calls.map(
      ({ name, input }) => `${name}${typeof input.addonName === 'string' ? ` ${input.addonName}` : ''}`,
    );
    const before = (a: string, b: string): void =>
      expect(order.indexOf(a), `${a} before ${b}`).toBeLessThan(order.indexOf(b));
    before('eks.CreateCluster', 'eks.CreateNodegroup');
    before('ec2.CreateLaunchTemplate', 'eks.CreateNodegroup');
    before('eks.CreateNodegroup', 'eks.CreateAddon metrics-server');
    before('eks.CreateNodegroup', 'eks.CreateAddon eks-pod-identity-agent');
    before('eks.CreateNodegroup', 'ec2.CreateTags');
    before('eks.CreateAccessEntry', 'eks.AssociateAccessPolicy');
    expect(order).toHaveLength(ARTICLE.length);
  });

  test.each(ARTICLE)('$call, beside: $line', (line) => {
    const input = callOf(line);
    for (const { option, path, value, given, instead } of line.parameters) {
      // The option is really in the line.
      expect(line.line.replace(/\s+/g, ' ')).toContain(option);
      if (instead !== undefined) {
        expect(at(input, path), `${path} is explained, and must not be there`).toBeUndefined();
      } else if (given !== undefined) {
        expect(at(input, path), path).toBeDefined();
      } else {
        expect(at(input, path), path).toEqual(value);
      }
    }
    // Whatever else is in the call is explained, and nothing is explained that is not there.
    const named = line.parameters.filter(({ instead }) => instead === undefined).map(({ path }) => path);
    const explained = Object.keys(line.further);
    expect(paths(input).filter((path) => !named.includes(path) && !explained.includes(path))).toEqual([]);
    expect(explained.filter((path) => at(input, path) === undefined)).toEqual([]);
  });

  test('the disk of --disk-size is in the template', () => {
    const template = calls.find(({ name }) => name === 'ec2.CreateLaunchTemplate')!.input;
    expect(at(template, 'LaunchTemplateData.BlockDeviceMappings.0.Ebs.VolumeSize')).toBe(100);
  });

  test('another run, elsewhere, says them with the same tokens', async () => {
    const other = await world();
    await bootstrap.applyCluster(exampleFile(), other.options);
    await other.peer.close();
    const tokens = ({ peer }: World): unknown[] =>
      peer.calls
        .map(({ input }) => input.clientRequestToken ?? input.ClientToken)
        .filter((token) => token !== undefined);
    expect(tokens(other).sort()).toEqual(tokens(made).sort());
    expect(tokens(other)).toHaveLength(7);
    expect(new Set(tokens(other)).size).toBe(7);
  });
});
