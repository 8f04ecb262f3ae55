import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check, checked, Folder, thing } from './check-runner';

let folder: Folder;

beforeAll(() => {
  folder = new Folder();
});

afterAll(() => folder.remove());

const SERVICE_JSON = (name: string): string => `{"apiVersion":"v1","kind":"Service","metadata":{"name":"${name}"}}`;
const GOOD = thing('good');

/** A text, the objects that are read of it, and what is said of the rest: line, column and words. */
const ODD: Readonly<
  Record<string, readonly [text: string | Buffer, objects: number, said?: readonly [number, number, RegExp]]>
> = {
  'one broken document among good ones': [
    `${GOOD}---\nkind: [\n---\n${GOOD.replace('good', 'b')}`,
    2,
    [7, 1, /no value/],
  ],
  'a template in place of a key': [
    `${GOOD}---\n{{- if .x }}\na: 1\n{{- end }}\n`,
    1,
    [6, 2, /template that was not rendered/],
  ],
  'a template in place of a value': [`${thing('{{ .Release.Name }}')}---\n${GOOD}`, 1, [4, 10, /helm template/]],
  'a template within a list': [`${GOOD}---\na:\n  {{- toYaml .x | nindent 2 }}\n`, 1, [7, 4, /not rendered/]],
  'an open merge': [`<<<<<<< HEAD\na: 1\n=======\n>>>>>>> b\n---\n${GOOD}`, 1, [2, 2, /merge that was not resolved/]],
  'a tab in the indentation': [`${GOOD}---\na:\n\tb: 1\n`, 1, [7, 1, /a tab in the indentation/]],
  'tabs that go-yaml takes': ['apiVersion:\tv1\t# x\nkind: Service\t\nmetadata:\t{name:\tx}\n', 1],
  'a quote that is open': [`a: "x\n---\n${GOOD}`, 1, [1, 4, /a quote is never closed/]],
  'a bracket that is open': [`a: [1,\n  2\n---\n${GOOD}`, 1, [1, 4, /bracket is never closed/]],
  'brackets at the left': ['apiVersion: v1\nkind: Service\nmetadata: {\nname: x\n}\nspec: {ports: [\n]}\n', 1],
  'less indentation': [`a:\n    b: 1\n  c: 1\n---\n${GOOD}`, 1, [3, 3, /look at the indentation/]],
  'a first line with more': [`  spec: 1\napiVersion: v1\n---\n${GOOD}`, 1, [2, 1, /it ends above this line/]],
  'bytes that are no UTF-8': [
    Buffer.concat([Buffer.from(`${GOOD}---\na: 1\nb: caf`), Buffer.from([0xe9]), Buffer.from(`\n---\n${thing('b')}`)]),
    2,
    [7, 1, /byte 77 of the file, 0xE9, is no UTF-8/],
  ],
  'UTF-8 that is cut off': [
    Buffer.concat([Buffer.from('a: '), Buffer.from([0xe2, 0x82])]),
    0,
    [1, 1, /byte 3 of the file/],
  ],
  'UTF-16': [Buffer.from(`\ufeff${GOOD}`, 'utf16le'), 0, [1, 1, /UTF-16; save it as UTF-8/]],
  'no text': [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 0, [1, 1, /it is no text: byte 4 is 0/]],
  'a control character': [`${GOOD}---\na: \u0007\n`, 1, [6, 4, /control character, 0x07/]],
  'a byte order mark before each document': [`\ufeff${GOOD}---\n\ufeff${thing('b')}`, 2],
  'line ends of Windows': [`${GOOD}---\n${thing('b')}`.replaceAll('\n', '\r\n'), 2],
  'line ends of old': [`${GOOD}---\n${thing('b')}`.replaceAll('\n', '\r'), 2],
  directives: [`%YAML 1.1\n---\n${GOOD}...\n%YAML 1.1\n--- # second\n${thing('b')}...\n`, 2],
  'markers with a comment and content': [`--- # a\n${GOOD}--- ${SERVICE_JSON('b')}\n`, 2],
  'markers within a block': [`${GOOD}data: |\n  ---\n  apiVersion: v1\n  ---\n`, 1],
  'a stream of JSON': [`${SERVICE_JSON('a')}${SERVICE_JSON('b')}\n${SERVICE_JSON('c \\/ \\ud83d\\ude00')}`, 3],
  'a broken value in a stream of JSON': [`${SERVICE_JSON('a')}\n{"a":}}\n`, 0, [2, 1, /document|value|key|ends/]],
  'JSON with tabs': ['{\n\t"apiVersion": "v1",\n\t"kind": "Service",\n\t"metadata": {"name": "a\\/b"}\n}', 1],
  'aliases that explode': [
    `${GOOD}---\na0: &a0 [x, x]\n${Array.from({ length: 64 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
    1,
    [21, 18, /aliases stand for more than 250000 values/],
  ],
  'aliases within reason': [`${GOOD}x: &x [1, 2]\ny: *x\nz: {<<: {a: 1}}\n`, 1],
  'deep brackets': [`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 0, [1, 2001, /nested more than 400 deep/]],
  'a number that is none': [`${GOOD}---\na: .nan\n`, 1, [6, 4, /no number that JSON/]],
  'metadata of all kinds': [
    [
      '3',
      '[a]',
      'null',
      '{name: 3}',
      '{name: a, namespace: [1], annotations: x, labels: 3}',
      '{name: b, annotations: [1]}',
    ]
      .map((metadata) => `apiVersion: v1\nkind: Service\nmetadata: ${metadata}\nspec: 3\n`)
      .join('---\n'),
    6,
  ],
};

describe('odd inputs', () => {
  test.each(Object.entries(ODD))('%s', async (_, [text, objects, said]) => {
    const file = folder.file('odd.yaml', text);
    // Whatever else is said about its services, which are no whole ones.
    const { counts, unread } = await checked('--rule', 'yaml/*', file);
    expect(counts.objects).toBe(objects);
    expect(unread.map(({ line, column }) => [line, column])).toEqual(said ? [[said[0], said[1]]] : []);
    if (said) {
      expect(unread[0]!.message).toMatch(said[2]);
      expect(unread[0]!.message).not.toContain('\n');
    }
    const { code, error } = await check('--rule', 'yaml/*', file);
    expect({ code, error }).toEqual({ code: said ? 2 : 0, error: '' });
  });
});

describe('what the reader finds', () => {
  test('duplicate keys, with both places', async () => {
    const file = folder.file('keys.yaml', `${GOOD}---\n${thing('b', '  labels: {a: "1", a: "2"}\n  name: c\n')}`);
    expect((await checked(file)).findings).toMatchObject([
      {
        id: 'yaml/duplicate-key',
        severity: 'warning',
        line: 10,
        column: 20,
        what: "key 'a' stands here again; first in line 10",
      },
      { id: 'yaml/duplicate-key', line: 11, column: 3, what: "key 'name' stands here again; first in line 9" },
    ]);
  });

  const deployment = (name: string, image: string, more = ''): string =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: '${name}'}\nspec:\n  template:\n    spec:\n      containers:\n` +
    `        - name: a\n          image: '${image}'\n${more}`;

  test.each([
    ['${NAME}', 'a:1', 'metadata.name'],
    ['{{ .Release.Name }}', 'a:1', 'metadata.name'],
    ['a', '<your-registry>/a:1', 'spec.template.spec.containers[0].image'],
    ['a', '$IMAGE', 'spec.template.spec.containers[0].image'],
  ])('a placeholder: %s %s', async (name, image, path) => {
    const file = folder.file('leftover.yaml', deployment(name, image));
    const { findings } = await checked('--rule', 'yaml/*', file);
    expect(findings).toMatchObject([{ id: 'yaml/unrendered-template', severity: 'error', path }]);
  });

  test.each([
    ['commands', deployment('a', 'a:1', "          args: ['${HOME}/x', '{{ x }}', '<s>', '$(POD_IP)']\n")],
    ['data', "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {image: '{{ x }}', size: '<x>'}\n"],
    [
      'kinds that are templates',
      "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\nspec: {image: '{{x}}'}\n",
    ],
  ])('none in %s', async (_, text) => {
    expect((await checked('--rule', 'yaml/*', folder.file('meant.yaml', text))).findings).toEqual([]);
  });
});

describe('lists', () => {
  test('are unfolded, with the places of their items', async () => {
    const list = `apiVersion: v1
kind: List
items:
- null
- ${GOOD.trimEnd().replaceAll('\n', '\n  ')}
- apiVersion: example.org/v1
  kind: ThingList
  items:
  - metadata: {name: good}
`;
    const { counts, findings, passedBy } = await checked(
      '--rule',
      'k8s/duplicate-name',
      folder.file('list.yaml', list),
    );
    expect(counts.objects).toBe(2);
    expect(findings).toMatchObject([
      { object: { kind: 'Thing', name: 'good' }, path: 'metadata.name', line: 12, column: 16 },
    ]);
    expect(passedBy).toMatchObject([{ line: 4, message: 'items[0] is empty and no object' }]);
  });

  test('of a kind that only sounds so are objects', async () => {
    const text = 'apiVersion: example.org/v1\nkind: AllowList\nmetadata: {name: a}\nspec: {items: []}\n';
    expect((await checked(folder.file('allow.yaml', text))).counts.objects).toBe(1);
  });

  test('what is no object is passed by', async () => {
    const { counts, passedBy } = await checked(folder.file('values.yaml', `replicas: 3\n---\n- a\n---\n${GOOD}`));
    expect(counts).toMatchObject({ documents: 3, objects: 1, passedBy: 2 });
    expect(passedBy.map(({ message }) => message)).toEqual([
      'no object of Kubernetes: apiVersion and kind missing',
      'it is a list and no object',
    ]);
  });
});
