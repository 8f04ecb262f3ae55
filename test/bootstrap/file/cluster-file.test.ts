import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { ClusterFileError, readClusterFile } from '../../../src/bootstrap/file/cluster-file';
import { CLUSTER_SCHEMA } from '../../../src/bootstrap/file/schema';
import { validate } from '../../../src/bootstrap/file/validate';

const EXAMPLE = readFileSync(join(__dirname, '../../../examples/eks-cluster/cluster.yaml'), 'utf8');

/** What is wrong with a text, line by line. */
function problems(text: string): string[] {
  try {
    readClusterFile(text);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ClusterFileError);
    return (error as Error).message.split('\n');
  }
}

/** The line of the example, from 1, that a text stands in. */
function lineOf(text: string, of = EXAMPLE): number {
  return of.slice(0, of.indexOf(text)).split('\n').length;
}

describe('a cluster file', () => {
  test('the example is the cluster of the article', () => {
    expect(readClusterFile(EXAMPLE)).toMatchObject({
      name: 'vllm-research',
      kubernetesVersion: '1.36',
      authenticationMode: 'API',
      network: { endpoint: { private: true, public: false } },
      nodeGroup: {
        nodes: 2,
        instanceType: 'm7g.2xlarge',
        amiType: 'AL2023_ARM_64_STANDARD',
        diskSize: 100,
        capacityType: 'ON_DEMAND',
      },
      addOns: [{ name: 'eks-pod-identity-agent' }, { name: 'metrics-server' }],
    });
  });

  test('what may be left out has defaults', () => {
    const least = parseDocument(EXAMPLE);
    for (const key of ['podIdentities', 'accessEntries', 'addOns']) {
      least.delete(key);
    }
    for (const key of ['amiType', 'capacityType', 'diskSize']) {
      least.deleteIn(['nodeGroup', key]);
    }
    least.deleteIn(['network', 'endpoint']);
    expect(readClusterFile(least.toString())).toEqual({
      ...readClusterFile(EXAMPLE),
      podIdentities: [],
      accessEntries: [],
    });
  });

  test.each([
    [
      'an unknown key',
      (text: string) => text.replace('nodeGroup:', 'nodeGroop:'),
      'nodeGroop',
      "'nodeGroop' is no key of the file; did you mean 'nodeGroup'?",
    ],
    [
      'a key of another place',
      (text: string) => text.replace('  nodes: 2', '  tags: {}\n  nodes: 2'),
      '  tags: {}',
      "'tags' is no key of nodeGroup; ",
    ],
    [
      'nodes in two zones',
      (text: string) => text.replace('  zone: us-east-1a', '  zone: [us-east-1a, us-east-1b]'),
      '  zone: [',
      "nodeGroup.zone is a list; it takes an Availability Zone, as 'us-east-1a'",
    ],
    [
      'a zone without a subnet',
      (text: string) => text.replace('  zone: us-east-1a', '  zone: us-east-1c'),
      '  zone: us-east-1c',
      "zone 'us-east-1c' has no subnet; network.subnets has us-east-1a, us-east-1b",
    ],
    [
      'one subnet for the control plane',
      (text: string) => text.replace(/ +us-east-1b: .*\n/, ''),
      '    us-east-1a',
      'network.subnets has 1 entries; it takes 2 to 16',
    ],
    [
      'one subnet in two zones',
      (text: string) => text.replace('60002', '60001'),
      '    us-east-1b',
      'which stands for us-east-1a as well; a subnet is in one zone',
    ],
    [
      'a zone of another region',
      (text: string) => text.replace('us-east-1b: subnet', 'us-east-2b: subnet'),
      '    us-east-2b',
      "zone 'us-east-2b' is not in region 'us-east-1'",
    ],
    [
      'an x86 type with an Arm image',
      (text: string) => text.replace('m7g.2xlarge', 'm7i.2xlarge'),
      '  amiType',
      "'AL2023_ARM_64_STANDARD', an image for arm64, and m7i.2xlarge is amd64; it takes AL2023_x86_64_STANDARD",
    ],
    [
      'a type that is not there',
      (text: string) => text.replace('m7g.2xlarge', 'm7g.3xlarge'),
      '  instanceType',
      'm7g.* has medium, large, xlarge, 2xlarge',
    ],
    [
      'a disk size beside a launch template',
      (text: string) =>
        text.replace('  nodes: 2', '  nodes: 2\n  launchTemplate: { id: lt-0123456789abcdef0, version: "3" }'),
      '  diskSize',
      'beside a launch template of your own, which EKS refuses',
    ],
    [
      'a disk that is too small',
      (text: string) => text.replace('diskSize: 100', 'diskSize: 8'),
      '  diskSize',
      'nodeGroup.diskSize is 8; it takes a whole number from 20 to 16384',
    ],
    [
      'a name of 101 characters',
      (text: string) => text.replace('name: vllm-research', `name: ${'a'.repeat(101)}`),
      'name: a',
      'which has 101 characters; it takes 1 to 100',
    ],
    [
      'a name that begins with a hyphen',
      (text: string) => text.replace('name: vllm-research', 'name: -x'),
      'name: -x',
      "name is '-x'; it takes letters, digits",
    ],
    [
      'a version without quotes',
      (text: string) => text.replace("'1.36'", '1.36'),
      'kubernetesVersion',
      "kubernetesVersion is 1.36; it takes a version in quotes, as '1.36'",
    ],
    [
      'no nodes',
      (text: string) => text.replace('nodes: 2', 'nodes: 0'),
      '  nodes',
      'nodeGroup.nodes is 0; it takes a whole number from 1 to 100',
    ],
    [
      'a word for a number',
      (text: string) => text.replace('nodes: 2', 'nodes: two'),
      '  nodes',
      "nodeGroup.nodes is 'two'; it takes a whole number",
    ],
    [
      'a session for a role',
      (text: string) =>
        text.replace(
          'arn:aws:iam::111122223333:role/ml-engineers',
          'arn:aws:sts::111122223333:assumed-role/ml-engineers/me',
        ),
      '- principalArn',
      'of a session arn:aws:sts::…:assumed-role/ take the role',
    ],
    [
      'an access policy with a slip',
      (text: string) => text.replace('ClusterAdminPolicy', 'ClusterAdminPolcy'),
      '- name: AmazonEKS',
      "did you mean 'AmazonEKSClusterAdminPolicy'?",
    ],
    [
      'a capacity in lower case',
      (text: string) => text.replace('ON_DEMAND', 'on-demand'),
      '  capacityType',
      "it takes one of ON_DEMAND, SPOT; did you mean 'ON_DEMAND'?",
    ],
    [
      'no endpoint at all',
      (text: string) => text.replace('private: true', 'private: false'),
      '    private',
      'network.endpoint is neither private nor public',
    ],
    [
      'an add-on twice',
      (text: string) => text.replace('name: metrics-server', 'name: eks-pod-identity-agent'),
      '  - name: eks-pod-identity-agent\n\n',
      "add-on 'eks-pod-identity-agent' is there twice, first as addOns[0]",
    ],
    [
      'a tag of AWS',
      (text: string) => text.replace('owner:', 'aws:owner:'),
      '  aws:owner',
      "a key of tags is 'aws:owner'",
    ],
    [
      'a date that YAML takes for one',
      (text: string) => text.replace("'2027-06-30'", '20270630'),
      '  end-date',
      'a date or a number in quotes',
    ],
    [
      'a key twice',
      (text: string) => text.replace('region: us-east-1', 'region: us-east-1\nname: other'),
      'name: other',
      'this key is there twice; keep one of them',
    ],
    [
      'a tag of AWS in capitals, which AWS refuses likewise',
      (text: string) => text.replace('owner:', 'AWS:owner:'),
      '  AWS:owner',
      "a key of tags is 'AWS:owner'",
    ],
    [
      'an alias of nothing',
      (text: string) => text.replace('nodes: 2', 'nodes: *two'),
      '  nodes: *two',
      "'*two' stands for a value that is named nowhere before with '&two'",
    ],
    [
      'a tab',
      (text: string) => text.replace('  owner', '\towner'),
      '\towner',
      'a tab stands here; YAML indents with spaces',
    ],
    [
      'bytes that are no UTF-8',
      (text: string) => text.replace('ml-platform', Buffer.from('pl\xe4tform', 'latin1').toString('utf8')),
      '  owner: pl',
      'it is no text in UTF-8 from here on',
    ],
    [
      'more tags than AWS leaves room for',
      (text: string) => text.replace('  owner', `${[...Array(40).keys()].map((i) => `  t${i}: v\n`).join('')}  owner`),
      '  t0',
      'tags has 42 entries; it takes 1 to 40',
    ],
    ['broken YAML', (text: string) => text.replace('tags:', 'tags: ['), '  owner', 'flow'],
  ])('%s: line, value, what is allowed', (_, edit, place, message) => {
    const text = edit(EXAMPLE);
    expect(text).not.toBe(EXAMPLE);
    const found = problems(text);
    expect(found.join('\n').toLowerCase()).toContain(message.toLowerCase());
    const line = found.find((each) => each.toLowerCase().includes(message.toLowerCase()))!;
    expect(Number(/^cluster\.yaml:(\d+):\d+: /.exec(line)![1])).toBe(lineOf(place, text));
  });

  test('everything that is wrong is said at once, in the order of the lines', () => {
    const text = EXAMPLE.replace('name: vllm-research', 'name: ""')
      .replace('nodes: 2', 'nodes: 0')
      .replace('roleArn: arn', 'roleArn: x');
    expect(problems(text).map((line) => Number(line.split(':')[1]))).toEqual([
      lineOf('name: vllm'),
      lineOf('roleArn'),
      lineOf('nodes: 2'),
    ]);
  });

  test.each([
    '',
    '# nothing\n',
    'null\n',
    '[]\n',
    '42\n',
    '---\n---\n',
    'a: &a [*a]\n',
    '{',
    '\u0000',
    '!!binary x\n',
    '? [a]\n: b\n',
    '\ufeff',
    '\u0000\u0001'.repeat(500),
    `a: ${'['.repeat(60_000)}`,
    `a: ${'{a: '.repeat(900)}1${'}'.repeat(900)}`,
    `a: ${'{a: '.repeat(5000)}1${'}'.repeat(5000)}`,
    'x'.repeat(2_000_000),
    [...Array(8000).keys()].map((i) => `k${i}: 1\n`).join(''),
    [...Array(90_000).keys()].map((i) => `k${i}: 1\n`).join(''),
    'a: *a\n',
    '<<: *x\n',
  ])('odd file %# is refused, and neither crashed on nor pondered over', (text) => {
    const found = problems(text);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(51);
    expect(found.join('\n')).not.toContain('call stack');
  });

  test('each slip of one letter in a key is answered with the key', () => {
    const keys = [...EXAMPLE.matchAll(/^[ -]*([A-Za-z]{4,}):/gm)].map(([, key]) => key!);
    const ours = new Set(keys.filter((key) => !['owner'].includes(key)));
    expect(ours.size).toBeGreaterThan(20);
    for (const key of ours) {
      for (const slip of [key.slice(0, -1), `${key}s`, key.slice(0, 2) + key[3] + key[2] + key.slice(4)]) {
        if (slip !== key && !ours.has(slip)) {
          const text = EXAMPLE.replace(new RegExp(`^([ -]*)${key}:`, 'm'), `$1${slip}:`);
          expect(problems(text).join('\n'), slip).toContain(`'${slip}' is no key`);
          expect(problems(text).join('\n'), slip).toContain(`did you mean '${key}'?`);
        }
      }
    }
  });

  test('aliases that stand for very much are refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 9; i++) {
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    }
    expect(problems(`${lines.join('\n')}\n`).join('\n')).toContain('its aliases stand for more than');
  });

  test('no account number is in a message', () => {
    expect(problems(EXAMPLE.replace('role/eks-node', 'user/eks-node')).join('\n')).not.toMatch(/\d{12}/);
  });
});

describe('docs/cluster.schema.json', () => {
  const published = JSON.parse(readFileSync(join(__dirname, '../../../docs/cluster.schema.json'), 'utf8')) as object;
  const ajv = new Ajv2020({ allErrors: true, strict: false }).compile(published);
  const example: unknown = parse(EXAMPLE);

  test('takes the example', () => {
    expect(ajv(example)).toBe(true);
  });

  /** Another value somewhere in the example: an editor and the program have to agree about it. */
  const mutated = fc
    .tuple(
      fc.array(fc.nat(12), { minLength: 1, maxLength: 5 }),
      fc.oneof(
        fc.constantFrom<unknown>(
          null,
          true,
          3,
          -1,
          1.5,
          '',
          'x',
          'API',
          'SPOT',
          [],
          {},
          ['x'],
          { x: 1 },
          'a'.repeat(130),
        ),
        fc.string({ maxLength: 8 }),
        fc.constantFrom('delete', 'rename'),
      ),
    )
    .map(([steps, by]) => {
      const copy = structuredClone(example);
      let at = copy as Record<string, unknown>;
      for (const [i, step] of steps.entries()) {
        const keys = Object.keys(at);
        if (keys.length === 0) {
          break;
        }
        const key = keys[step % keys.length]!;
        const inner = at[key];
        if (i === steps.length - 1 || typeof inner !== 'object' || inner === null) {
          if (by === 'delete' && !Array.isArray(at)) {
            delete at[key];
          } else if (by === 'rename' && !Array.isArray(at)) {
            delete at[key];
            at[`${key}x`] = inner;
          } else {
            at[key] = by;
          }
          break;
        }
        at = inner as Record<string, unknown>;
      }
      return copy;
    });

  test('an editor that goes by it and the program say the same', () => {
    fc.assert(
      fc.property(mutated, (value) => {
        const found: string[] = [];
        validate(CLUSTER_SCHEMA, value, (_, message) => found.push(message));
        expect(found.length === 0, `${JSON.stringify(value)}: ${found.join('; ')}`).toBe(ajv(value));
      }),
      { numRuns: 2000 },
    );
  });
});
