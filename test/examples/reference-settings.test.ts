import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, equals, type Found, type Json, readBundle, select, show } from './bundle';
import { additions, entries, STATUSES, text } from './reference-document';

interface Row {
  readonly id: string;
  readonly where: string;
  readonly path: string;
  readonly value: string;
  readonly section: string;
  readonly check: string;
}

const bundle = readBundle();
const rows = readRows();

function readRows(): Row[] {
  const file = readFileSync(join(__dirname, '../fixtures/reference-settings.tsv'), 'utf8');
  const [header = '', ...lines] = file.trimEnd().split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])) as unknown as Row;
  });
}

function only(where: string): Json {
  const found = select(bundle, where);
  expect(found, where).toHaveLength(1);
  return found[0] as Json;
}

const lws = 'LeaderWorkerSet/vllm-gemma';
const vllmTemplates = ['leaderTemplate', 'workerTemplate'].map((role) => `spec.leaderWorkerTemplate.${role}`);

function chatSource(): string {
  return show(at(only('ConfigMap/chat-app-src'), 'data[server.mjs]'));
}

function chatVariable(name: string): Found {
  return at(only('Deployment/chat-app'), `spec.template.spec.containers[0].env[${name}].value`);
}

/** What the source says between the parentheses of a pattern. */
function inChat(pattern: RegExp): Found {
  return pattern.exec(chatSource())?.[1];
}

/** Rows that need more than one look at one path. */
const special: Record<string, () => Found> = {
  'pull-anonymous': () => {
    const pods = [
      ...vllmTemplates.map((template) => at(only(lws), `${template}.spec`)),
      at(only('Deployment/chat-app'), 'spec.template.spec'),
    ];
    return pods.map((pod) => at(pod ?? {}, 'imagePullSecrets')).find((secrets) => secrets !== undefined);
  },
  'sum-qos': () => {
    const resources = vllmTemplates.flatMap(
      (template) => at(only(lws), `${template}.spec.containers[*].resources`) as Json[],
    );
    const equal = resources.every((each) =>
      ['cpu', 'memory'].every((name) => {
        const limit = at(each, `limits.${name}`);
        return limit !== undefined && limit === at(each, `requests.${name}`);
      }),
    );
    return resources.length > 0 && equal ? 'Guaranteed' : 'Burstable';
  },
  'one-rank-a-pod': () => {
    const args = `${vllmTemplates[0]}.spec.containers[0].args`;
    const [pipeline, tensor] = ['pipeline', 'tensor'].map((kind) =>
      Number(at(only(lws), `${args} --${kind}-parallel-size`)),
    );
    return ((pipeline ?? 0) * (tensor ?? 0)) / Number(at(only(lws), 'spec.leaderWorkerTemplate.size'));
  },
  'ing-count': () => select(bundle, 'Ingress').length,
  'chat-command': () => {
    const container = at(only('Deployment/chat-app'), 'spec.template.spec.containers[0]') ?? {};
    return ['command', 'args'].flatMap((part) => (at(container, part) ?? []) as string[]).join(' ');
  },
  'chat-configmap-key': () => Object.keys(at(only('ConfigMap/chat-app-src'), 'data') ?? {}),
  'chat-rollout': () => {
    // A pod template with the hash of the source changes with it, and a changed template is rolled out.
    const hash = createHash('sha256').update(chatSource()).digest('hex').slice(0, 16);
    const annotations = at(only('Deployment/chat-app'), 'spec.template.metadata.annotations') ?? {};
    return Object.values(annotations).includes(hash) ? 'restart' : undefined;
  },
  'chat-stdlib': () => {
    const imports = [...chatSource().matchAll(/^\s*import .* from "([^"]+)";$/gm)].map((match) => match[1] ?? '');
    return imports.length > 0 && imports.every((name) => name.startsWith('node:')) ? 'standard library only' : imports;
  },
  'chat-prefix': () => chatVariable('PATH_PREFIX'),
  'chat-relative': () => inChat(/fetch\("([^"]+)"/),
  'chat-proxy': () => inChat(/new URL\("([^"]+)", config\.upstream\)/),
  'chat-upstream': () => new URL(show(chatVariable('UPSTREAM_URL'))).hostname,
  'chat-content-type': () => inChat(/"Content-Type": "(text\/event-stream)[;"]/),
  'chat-cache': () => {
    const directives = inChat(/"Content-Type": "text\/event-stream.*\n\s*"Cache-Control": "([^"]+)"/);
    return directives === undefined ? undefined : show(directives).split(', ');
  },
  'chat-flush': () => (/return this\.res\.write\(chunk\)/.test(chatSource()) ? 'after each chunk' : undefined),
  'chat-auth': () => (/"WWW-Authenticate": 'Basic /.test(chatSource()) ? 'HTTP Basic' : undefined),
  'chat-exempt': () => {
    const beforePassword = chatSource().split('if (!passwordOk(')[0] ?? '';
    return [...beforePassword.matchAll(/path === "([^"]+)"/g)].map((match) => match[1] ?? '');
  },
  'chat-dark': () => {
    const style = /(?:var|const) style = `([^]*?)`;/.exec(chatSource())?.[1] ?? '';
    const dark = style.lastIndexOf('@media (prefers-color-scheme: dark)');
    const after = style.slice(style.indexOf('{', dark));
    // The block closes with the sheet: no brace opens outside of it.
    let depth = 0;
    const end = [...after].findIndex((char) => (depth += char === '{' ? 1 : char === '}' ? -1 : 0) === 0);
    return dark > 0 && after.slice(end + 1).trim() === '' ? 'last in the style sheet' : 'not last';
  },
};

/** The calls that `bootstrap` makes the cluster of the example with. */
const calls = JSON.parse(readFileSync(join(__dirname, '../fixtures/bootstrap-calls.json'), 'utf8')) as {
  name: string;
  input: Json;
}[];

/** What a call of `bootstrap` has for a row; `undefined` when no call can answer it. */
function inCalls({ id, where, path, value }: Row): { found: Found } | undefined {
  const name = where.replace(':', '.');
  const [addOn] = [/\((.*)\)$/.exec(path)?.[1] ?? (path === 'addonName' ? value : undefined)];
  const call = calls.find(
    (each) => each.name === name && (addOn === undefined || at(each.input, 'addonName') === addOn),
  );
  if (id === 'ng-disk') {
    const template = calls.find((each) => each.name === 'ec2.CreateLaunchTemplate')!;
    return { found: at(template.input, 'LaunchTemplateData.BlockDeviceMappings[0].Ebs.VolumeSize') };
  }
  if (call === undefined || name.startsWith('ec2.')) {
    return undefined;
  }
  const [list, length] = path.split('.length');
  const found = at(call.input, list!.replace(/ .*$/, ''));
  return { found: length === undefined ? found : (found as Json[]).length };
}

/** Whether the bundle alone can answer a row. */
function isInBundle({ id, where, check }: Row): boolean {
  return check === 'auto' && (id in special || select(bundle, where).length > 0);
}

function find({ id, where, path }: Row): Found {
  const finder = special[id];
  return finder ? finder() : at(only(where), path);
}

/** What is wrong with the document's word on a row. */
function problems(row: Row): string[] {
  const [entry, second] = entries.filter(({ id }) => id === row.id);
  if (entry === undefined) return [`${row.id} is not in the document`];
  if (second !== undefined) return [`${row.id} is in the document twice`];
  const { article, here, status, why } = entry;
  const wrong: string[] = [];
  if (article !== row.value) wrong.push(`has '${row.value}' in the article, the document says '${article}'`);
  if (!STATUSES.includes(status)) wrong.push(`has the verdict '${status}', not one of ${STATUSES.join(', ')}`);
  if (status !== 'same' && why === '') wrong.push(`is '${status}' without a reason`);
  if (isInBundle(row)) {
    const found = find(row);
    const verdict = equals(found, row.value) ? 'same' : 'differs';
    if (here !== show(found)) wrong.push(`is '${show(found)}' in the bundle, the document says '${here}'`);
    if (status !== verdict) wrong.push(`is '${status}' in the document; by the bundle it is '${verdict}'`);
  } else if (status === 'bootstrap') {
    const made = inCalls(row);
    if (here !== article) wrong.push(`is made by bootstrap, and the document says '${here}'`);
    if (made !== undefined && !equals(made.found, row.value)) wrong.push(`is '${show(made.found)}' in the call`);
  } else if (status === 'same' && row.check === 'auto') {
    wrong.push("is called 'same', and nothing in the bundle shows it");
  }
  return wrong.map((problem) => `${row.id} ${problem}`);
}

test('the fixture holds every setting once', () => {
  expect(rows.length).toBeGreaterThan(200);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
});

test('the document and the special rules name no setting that is not in the fixture', () => {
  const known = new Set(rows.map(({ id }) => id));
  const named = [...entries.map(({ id }) => id), ...Object.keys(special)];
  expect(named.filter((id) => !known.has(id))).toEqual([]);
});

describe('the document says what the bundle has', () => {
  test.each([...new Set(rows.map(({ section }) => section))])('%s', (section) => {
    expect(rows.filter((row) => row.section === section).flatMap(problems)).toEqual([]);
  });
});

describe('what the bundle adds', () => {
  test('holds the values that the document says', () => {
    expect(additions.length).toBeGreaterThan(0);
    const wrong = additions.flatMap(({ where, path, value }) => {
      const found = show(at(only(where), path));
      return found === value ? [] : [`${where} ${path} is '${found}', the document says '${value}'`];
    });
    expect(wrong).toEqual([]);
  });

  test('every flag, variable and annotation is named', () => {
    const places = vllmTemplates.map((template) => `${template}.spec.containers[0]`);
    const flags = places.flatMap((place) => at(only(lws), `${place}.args`) as string[]);
    const names = [
      ...flags.filter((argument) => argument.startsWith('-')).map((argument) => argument.split('=')[0] ?? ''),
      ...places.flatMap((place) => at(only(lws), `${place}.env[*].name`) as string[]),
      ...select(bundle, 'Ingress').flatMap((object) => Object.keys(at(object, 'metadata.annotations') ?? {})),
    ];
    const paths = [...rows, ...additions].map(({ path }) => path);
    const named = (name: string) => text.includes(name) || paths.some((path) => path.includes(name));
    expect([...new Set(names)].filter((name) => !named(name))).toEqual([]);
  });

  test('every kind of object is named', () => {
    expect(bundle.map((object) => show(object.kind)).filter((kind) => !text.includes(kind))).toEqual([]);
  });
});
