import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { READER_FINDINGS } from '../../src/cli/check/reader';
import { RULES } from '../../src/rules/index';
import { check, checked, DUPLICATE_ENV, FAULTY, Folder, thing } from './check-runner';

let folder: Folder;
let clean: string;
let faulty: string;
let group: string;

beforeAll(() => {
  folder = new Folder();
  clean = folder.file('clean.yaml', thing('a'));
  faulty = folder.file('faulty.yaml', FAULTY);
  group = folder.file('group.yaml', DUPLICATE_ENV);
});

afterAll(() => folder.remove());

describe('check', () => {
  test('exits 0 when all is well', async () => {
    expect(await check(clean)).toEqual({ code: 0, error: '', out: 'no findings in 1 object of 1 file\n' });
  });

  test('says what is wrong, where, why, and what to do', async () => {
    expect(await check(faulty)).toEqual({
      code: 1,
      error: '',
      out: `${faulty}:9:3 error k8s/duplicate-name  two objects are called Thing/a
  Thing/a metadata.name
  why: the second one overwrites the first when both are applied
  fix: give one of them another name

1 error in 2 objects of 1 file
`,
    });
  });

  test('the help names every flag, in 80 columns', async () => {
    const { code, out } = await check('--help');
    expect(code).toBe(0);
    for (const flag of ['--rule', '--ignore', '--fail-on', '--lws', '--kubernetes', '-o', '-q', '--explain']) {
      expect(out).toContain(flag);
    }
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('lists and explains every rule', async () => {
    const { out } = await check('--list-rules');
    for (const { id } of [...RULES, ...READER_FINDINGS]) {
      expect(out).toContain(`${id} `);
      expect((await check('--explain', id)).out).toContain('  why: ');
    }
  });
});

describe('flags', () => {
  test.each([
    [['--rule', 'k8s/duplicate-name'], 1],
    [['--rule', 'k8s/*'], 1],
    [['--rule=lws/*'], 0],
    [['--rule', 'k8s/*,lws/*'], 1],
    [['--rule', '*/duplicate-*'], 1],
    [['--ignore', 'k8s/duplicate-name'], 0],
    [['--ignore', '*'], 0],
    [['--fail-on', 'error'], 1],
    [['--fail-on', 'never'], 0],
  ])('%j exits with %i', async (flags, code) => {
    expect((await check(...flags, faulty)).code).toBe(code);
  });

  test('a warning fails unless errors alone are to', async () => {
    const file = folder.file('duplicate.yaml', thing('a', '  name: b\n'));
    expect((await check(file)).code).toBe(1);
    expect((await check('--fail-on', 'error', file)).code).toBe(0);
  });

  test.each([
    [['--rule', 'lws/duplicate-enf'], /no finding is called 'lws\/duplicate-enf'; did you mean 'lws\/duplicate-env'\?/],
    [['--ignore', 'nothing/*'], /--ignore: no finding is called 'nothing\/\*'; groups are .*lws/],
    [['--explain', 'lws/duplicate-enf'], /did you mean 'lws\/duplicate-env'\?/],
    [['--fail-on', 'eror'], /--fail-on is 'eror'; it takes warning, error or never; did you mean 'error'\?\n$/],
    [['--outptu', 'json'], /'--outptu' is not known; did you mean '--output'\?/],
    [['-o', 'xml'], /--output is 'xml'; it takes text, json, sarif or github\n$/],
    [['--lws', 'new'], /--lws is 'new'; it takes a version, as 0\.9\.0/],
    [['--quiet=yes'], /--quiet takes no value/],
    [['--rule'], /--rule has no value; it takes ID: these alone/],
    [['--rule', '-q'], /--rule has no value/],
  ])('%j is refused', async (flags, message) => {
    const { code, out, error } = await check(clean, ...flags);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(message);
    expect(error.trimEnd()).not.toContain('\n');
  });

  test('no file is refused, and with -o json the reason is JSON as well', async () => {
    expect(await check()).toMatchObject({ code: 2, out: '', error: expect.stringContaining('which files?') as string });
    const { code, out } = await check('-o', 'json');
    expect(code).toBe(2);
    expect(JSON.parse(out)).toEqual({ error: expect.stringContaining('which files?') as string });
  });

  test('the cluster decides what is judged', async () => {
    const surging = DUPLICATE_ENV.replace('              - {name: A, value: "2"}\n', '').replace(
      'spec:\n',
      'spec:\n  rolloutStrategy:\n    rollingUpdateConfiguration: {maxUnavailable: 0, maxSurge: 1}\n',
    );
    const file = folder.file('surge.yaml', surging);
    const ids = async (...args: string[]): Promise<string[]> =>
      (await checked('--rule', 'lws/surge-only-too-old', ...args, file)).findings.map(({ id }) => id);
    expect(await ids('--lws', '0.8.0')).toEqual(['lws/surge-only-too-old']);
    expect(await ids('--lws=v0.9.0')).toEqual([]);
    expect(await ids()).toEqual([]);
  });
});

describe('files', () => {
  test('a folder is read with all below it, once, in order, without what is not its own', async () => {
    folder.file('tree/b.yaml', thing('x'));
    folder.file('tree/a/z.yml', thing('x'));
    folder.file(
      'tree/c.json',
      JSON.stringify({ apiVersion: 'example.org/v1', kind: 'Thing', metadata: { name: 'x' } }),
    );
    folder.file('tree/node_modules/d.yaml', thing('x'));
    folder.file('tree/.git/d.yaml', thing('x'));
    folder.file('tree/notes.txt', 'no');
    folder.file('tree/tsconfig.json', '{ // a comment\n}');
    symlinkSync('..', join(folder.path, 'tree/a/loop'));
    symlinkSync('../b.yaml', join(folder.path, 'tree/a/same.yaml'));
    const tree = join(folder.path, 'tree');
    const { counts, findings, passedBy } = await checked(tree, tree, join(tree, 'b.yaml'));
    expect(counts).toMatchObject({ files: 4, objects: 3, unread: 0 });
    // b.yaml is met first by way of the link in a/.
    expect(findings.map(({ file }) => file)).toEqual([join(tree, 'a/z.yml'), join(tree, 'c.json')]);
    expect(passedBy).toMatchObject([{ file: join(tree, 'tsconfig.json') }]);
  });

  test('what cannot be read does not hide the rest', async () => {
    const missing = join(folder.path, 'missing.yaml');
    const { code, out } = await check(missing, faulty);
    expect(code).toBe(2);
    expect(out).toContain('k8s/duplicate-name');
    expect(out).toContain(`${missing} could not be read: there is no such file or folder\n`);
    // Nor is a line of it said to programs that show one.
    expect((await check('-o', 'github', missing)).out).toContain(`::error file=${missing},title=could not be read::`);
    expect((await check('-o', 'sarif', missing)).out).not.toContain('region');
    expect((await checked(missing)).unread).toEqual([
      { file: missing, line: 1, column: 1, message: 'there is no such file or folder', isWhole: true },
    ]);
  });

  test('objects of several files are compared with each other', async () => {
    const other = folder.file('other.yaml', thing('a'));
    expect((await checked(clean, other)).findings).toMatchObject([{ id: 'k8s/duplicate-name', file: other, line: 4 }]);
  });

  test('nothing at all is no clean bill', async () => {
    const empty = folder.file('empty.yaml', '# nothing\n---\n');
    expect(await check(empty)).toMatchObject({
      code: 2,
      error: expect.stringContaining('no Kubernetes object') as string,
    });
  });
});

describe('acceptance', () => {
  const accept = (reason: string): string =>
    FAULTY + `  annotations:\n    accept.cdk8s-vllm/k8s.duplicate-name: ${reason}\n`;

  test('is honoured and listed', async () => {
    const file = folder.file('accepted.yaml', accept('the second one is patched away'));
    const { code, out } = await check(file);
    expect(code).toBe(0);
    expect(out).toContain('accepted\n');
    expect(out).toContain('k8s/duplicate-name Thing/a\n    the second one is patched away\n');
    expect(out).toContain('no findings in 2 objects of 1 file; 1 accepted\n');
    const sarif = JSON.parse((await check('-o', 'sarif', file)).out) as {
      runs: [{ results: [{ suppressions: unknown }] }];
    };
    expect(sarif.runs[0].results[0].suppressions).toEqual([
      { kind: 'inSource', justification: 'the second one is patched away' },
    ]);
  });

  test.each(['""', '3', 'null'])('needs a reason: %s is none', async (reason) => {
    expect((await check(folder.file('unreasoned.yaml', accept(reason)))).code).toBe(1);
  });
});

describe('formats', () => {
  test('json', async () => {
    expect(await checked('--rule', 'lws/duplicate-env', group)).toMatchObject({
      schemaVersion: 1,
      counts: { files: 1, documents: 1, objects: 1, errors: 1, warnings: 0, notes: 0, accepted: 0 },
      findings: [
        {
          id: 'lws/duplicate-env',
          severity: 'error',
          file: group,
          line: 13,
          column: 13,
          object: { apiVersion: 'leaderworkerset.x-k8s.io/v1', kind: 'LeaderWorkerSet', name: 'group' },
          path: 'spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].env',
        },
      ],
      accepted: [],
      unread: [],
      passedBy: [],
    });
  });

  test('json is what docs/check.schema.json says', async () => {
    const schema = JSON.parse(readFileSync(join(__dirname, '../../docs/check.schema.json'), 'utf8')) as object;
    const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
    const broken = folder.file('broken.yaml', 'a: [\n---\nvalues: 1\n');
    for (const files of [[clean], [faulty], [faulty, broken], ['dist'], ['missing.yaml']]) {
      validate(await checked(...files));
      expect(validate.errors).toBeNull();
    }
  });

  test('sarif', async () => {
    const broken = folder.file('broken file.yaml', 'a: [\n');
    const { code, out } = await check('-o', 'sarif', faulty, broken);
    expect(code).toBe(2);
    const { version, runs } = JSON.parse(out) as { version: string; runs: [Record<string, never>] };
    expect(version).toBe('2.1.0');
    expect(runs[0]).toMatchObject({
      tool: {
        driver: { name: 'cdk8s-vllm', rules: [{ id: 'k8s/duplicate-name', defaultConfiguration: { level: 'error' } }] },
      },
      invocations: [{ executionSuccessful: false, toolExecutionNotifications: [{ level: 'error' }] }],
      results: [
        {
          ruleId: 'k8s/duplicate-name',
          ruleIndex: 0,
          level: 'error',
          locations: [{ physicalLocation: { region: { startLine: 9, startColumn: 3 } } }],
        },
      ],
    });
    expect(out).toContain('broken%20file.yaml');
  });

  test('sarif names files of the working folder relative to it', async () => {
    const { out } = await check('-o', 'sarif', 'dist');
    expect(out).not.toContain('file:///dist');
    const { out: relative } = await check('-o', 'sarif', 'test/fixtures', clean);
    expect(relative).not.toContain('"uri": "../');
  });

  test('github, with what would end a command escaped', async () => {
    const { out } = await check('-o', 'github', faulty);
    expect(out).toMatch(
      /^::error file=[^\n]*,line=9,col=3,title=k8s\/duplicate-name::two objects are called[^\n]*%0Awhy: /,
    );
    const odd = folder.file('100%,a:b.yaml', thing('a', '  name: b\n'));
    expect((await check('-o', 'github', odd)).out).toMatch(/^::warning file=[^\n]*100%25%2Ca%3Ab\.yaml,line=5,col=3,/);
  });

  test('-q leaves findings alone', async () => {
    expect(await check('-q', clean)).toEqual({ code: 0, out: '', error: '' });
    expect((await check('-q', faulty)).out).not.toContain('1 error in');
  });

  test.each(['text', 'json', 'sarif', 'github'])('%s never drives a terminal', async (format) => {
    const name = '"a\\e[31m\\x9b\\u202e\\n::error::x"';
    const file = folder.file('control.yaml', `${thing(name)}---\n${thing(name)}`);
    const { code, out } = await check('-o', format, file);
    expect(code).toBe(1);
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(out).not.toMatch(/^::error::x/m);
  });
});
