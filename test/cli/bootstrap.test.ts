import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as bootstrap from '../../src/bootstrap';
import { run } from '../../src/cli/bootstrap/command';
import { type Options, readOptions } from '../../src/cli/bootstrap/options';
import { main } from '../../src/cli/main';

const root = join(__dirname, '../..');
const EXAMPLE = join(root, 'examples/eks-cluster/cluster.yaml');
const CLI = join(root, 'lib/cli.cjs');
const missing = !existsSync(join(root, 'lib/bootstrap.cjs'));
if (missing && process.env.CI !== 'true') {
  console.warn('SKIPPED: lib/bootstrap.cjs is not built; `npm ci` builds it');
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-bootstrap-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let out = '';
let error = '';
beforeEach(() => {
  out = '';
  error = '';
});
const terminal = {
  out: (text: string) => void (out += text),
  error: (text: string) => void (error += text),
  colour: false,
};

const TOKEN = 'k8s-aws-v1.aHR0cHM6Ly9zdHM';
const PLAN: bootstrap.BootstrapPlan = {
  cluster: 'vllm-research',
  region: 'us-east-1',
  items: [
    { id: 'cluster vllm-research', action: 'exists', isOurs: true, status: 'ACTIVE', differences: [] },
    {
      id: 'node group llm-arm',
      action: 'replace',
      isOurs: true,
      status: 'ACTIVE',
      differences: [
        {
          what: 'instanceType',
          found: 'm7g.xlarge',
          wanted: 'm7g.2xlarge',
          remedy: 'replace',
          note: 'it is made again',
        },
      ],
    },
    { id: 'add-on metrics-server', action: 'create', isOurs: true, differences: [] },
  ],
  checks: [
    { level: 'ok', about: 'subnets', message: '2 in vpc-0123456789abcdef0, DNS is on' },
    { level: 'warning', about: 'tags', message: 'no tag names an owner' },
  ],
  canApply: true,
};

/** The module with what a run gives put in: the command alone is tested here. */
function module(given: Partial<typeof bootstrap>): typeof bootstrap {
  return { ...bootstrap, ...given };
}
function options(given: Partial<Options>): Options {
  return { action: 'plan', file: EXAMPLE, dryRun: false, replace: false, yes: false, json: false, ...given };
}

describe('the command line', () => {
  test.each([
    ['', 'bootstrap does what? it takes plan, apply, verify, tag, destroy, kubeconfig'],
    ['aply -f x', "bootstrap has no 'aply'; did you mean 'apply'?"],
    ['apply', '--file is missing: bootstrap apply -f cluster.yaml'],
    ['apply x.yaml', "'x.yaml' is one word too many; the file stands behind -f"],
    ['apply -f', '-f has no value; it takes FILE: the cluster.yaml'],
    ['apply --yes -f x', 'bootstrap apply takes no --yes; it is for destroy'],
    ['plan -f x -o yaml', "--output is 'yaml'"],
    ['plan -f x --dryrun', "'--dryrun' is not known; did you mean '--dry-run'?"],
    ['plan -f /nonexistent.yaml', "'/nonexistent.yaml' cannot be read: there is no such file"],
  ])('%j', async (line, message) => {
    expect(await main(['bootstrap', ...line.split(' ').filter((word) => word !== '')], terminal)).toBe(2);
    expect(error).toContain(message);
    expect(out).toBe('');
  });

  test.each([
    ['apply -f x -o json', 'bootstrap apply takes no --output; it is for plan and verify'],
    ['plan -o=json', '--file is missing: bootstrap plan -f cluster.yaml'],
    ['plan -f /nonexistent.yaml --output=json', "'/nonexistent.yaml' cannot be read: there is no such file"],
  ])('a program that asked for JSON gets the reason as JSON: %s', async (line, message) => {
    expect(await main(['bootstrap', ...line.split(' ')], terminal)).toBe(2);
    const told = (JSON.parse(out) as { error: string }).error;
    expect(told).toContain(message);
    expect(error).toBe(`cdk8s-vllm: ${told}\n`);
  });

  test('flags stand anywhere', () => {
    expect(readOptions(['--dry-run', 'destroy', '--yes', '--file=x.yaml'])).toMatchObject({
      action: 'destroy',
      file: 'x.yaml',
      dryRun: true,
      yes: true,
    });
  });
});

describe('what is printed', () => {
  test('a plan', async () => {
    expect(await run(options({}), terminal, module({ planCluster: () => Promise.resolve(PLAN) }))).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "Cluster vllm-research in us-east-1

        = cluster vllm-research  exists
        ! node group llm-arm     differs; apply --replace changes it
            instanceType: m7g.xlarge -> m7g.2xlarge
              it is made again
        + add-on metrics-server  create

      Before the first change
        ok     subnets: 2 in vpc-0123456789abcdef0, DNS is on
        warn   tags: no tag names an owner

      1 to make or change.
      "
    `);
  });

  test('a plan that cannot be applied ends with 1', async () => {
    const plan = { ...PLAN, canApply: false };
    expect(await run(options({ json: true }), terminal, module({ planCluster: () => Promise.resolve(plan) }))).toBe(1);
    expect(JSON.parse(out)).toEqual(plan);
  });

  test('an apply, with what comes next', async () => {
    const applyCluster: typeof bootstrap.applyCluster = (_, session, onPlan) => {
      onPlan?.(PLAN);
      session?.print?.('[  1m05s] cluster  ACTIVE');
      return Promise.resolve({ plan: PLAN, steps: [], succeeded: true, vpcId: 'vpc-0123456789abcdef0' });
    };
    expect(await run(options({ action: 'apply' }), terminal, module({ applyCluster }))).toBe(0);
    expect(out.slice(out.indexOf('[')).replaceAll(EXAMPLE, 'cluster.yaml')).toMatchInlineSnapshot(`
      "[  1m05s] cluster  ACTIVE

      Done.

      What comes next

      1. Reach the cluster, and look whether it is as it should be

           cdk8s-vllm bootstrap kubeconfig -f cluster.yaml
           cdk8s-vllm bootstrap verify -f cluster.yaml

      2. LeaderWorkerSet controller, with a CPU request that leaves the nodes to the
         model

           helm upgrade --install lws oci://registry.k8s.io/lws/charts/lws \\
             --version 0.10.0 --namespace lws-system --create-namespace \\
             --set resources.requests.cpu=100m --wait

      3. AWS Load Balancer Controller; its role is associated, so that its pods get
         credentials

           helm upgrade --install aws-load-balancer-controller \\
             aws-load-balancer-controller --repo https://aws.github.io/eks-charts \\
             --version 3.5.0 --namespace kube-system \\
             --set clusterName=vllm-research \\
             --set region=us-east-1 --set vpcId=vpc-0123456789abcdef0 \\
             --set serviceAccount.name=aws-load-balancer-controller \\
             --set enableServiceMutatorWebhook=false --wait

      4. If you want metrics: Prometheus Operator, which brings the kind PodMonitor
         and takes those with the label release: kube-prometheus-stack

           helm upgrade --install kube-prometheus-stack kube-prometheus-stack \\
             --repo https://prometheus-community.github.io/helm-charts \\
             --version 88.5.3 --namespace monitoring --create-namespace \\
             --wait
      "
    `);
  });

  test('an apply that failed', async () => {
    const applyCluster = (): Promise<bootstrap.ApplyReport> =>
      Promise.resolve({
        plan: PLAN,
        steps: [
          {
            id: 'node group llm-arm',
            ended: 'failed',
            message: 'node group llm-arm is CREATE_FAILED\n    NodeCreationFailure: …',
          },
          { id: 'add-on metrics-server', ended: 'not-begun', after: 'node group llm-arm' },
        ],
        succeeded: false,
      });
    expect(await run(options({ action: 'apply' }), terminal, module({ applyCluster }))).toBe(1);
    expect(out).toContain('x node group llm-arm is CREATE_FAILED\n    NodeCreationFailure');
    expect(out).toContain('add-on metrics-server: not begun, it needs node group llm-arm');
    expect(out).toContain('run it again: it goes on from here');
    expect(out).not.toContain('What comes next');
  });

  test('destroy asks', async () => {
    const report = { cluster: 'x', ours: ['cluster x'], others: [], blockers: [], deleted: [], failed: [], left: [] };
    const given = module({ destroyCluster: () => Promise.resolve(report) });
    expect(await run(options({ action: 'destroy' }), terminal, given)).toBe(1);
    expect(out).toContain('Nothing was deleted; --yes deletes.');
    expect(await run(options({ action: 'destroy', dryRun: true }), terminal, given)).toBe(0);
  });

  test('nothing secret, whatever the module says', async () => {
    const secret = { ...PLAN, cluster: `111122223333 ${TOKEN} AKIAIOSFODNN7EXAMPLE`, items: PLAN.items };
    await run(options({}), terminal, module({ planCluster: () => Promise.resolve(secret) }));
    await run(options({ json: true }), terminal, module({ planCluster: () => Promise.resolve(secret) }));
    const failing = module({
      planCluster: () => Promise.reject(new bootstrap.StepError('x', `no ${TOKEN} of 111122223333`)),
    });
    expect(await run(options({}), terminal, failing)).toBe(1);
    expect(out + error).not.toMatch(/111122223333|aHR0cHM6|AKIAIOSFODNN7EXAMPLE/);
    expect(error).toBe('cdk8s-vllm: no <token> of <account>\n');
    out = '';
    expect(await run(options({ json: true }), terminal, failing)).toBe(1);
    expect(JSON.parse(out)).toEqual({ error: 'no <token> of <account>' });
  });

  test('a wrong file: nothing was called', async () => {
    const path = join(folder, 'wrong.yaml');
    writeFileSync(path, readFileSync(EXAMPLE, 'utf8').replace('nodes: 2', 'nodes: 0'));
    const called = module({ planCluster: () => Promise.reject(new Error('it was called')) });
    await expect(run(options({ file: path }), terminal, called)).rejects.toThrow(
      `1 thing to correct, nothing was called\n${path}:`,
    );
    expect(out).toBe('');
    await expect(run(options({ file: path, json: true }), terminal, called)).rejects.toThrow('1 thing to correct');
    // Lines as long as what they say.
    expect((JSON.parse(out) as { error: string }).error.split('\n')).toEqual([
      '1 thing to correct, nothing was called',
      expect.stringContaining('nodeGroup.nodes is 0') as string,
    ]);
  });
});

/** Columns of the widest line that has more than one word. */
function widest(text: string): number {
  const lines = text.split('\n').filter((line) => /\S\s+\S/.test(line));
  return Math.max(...lines.map(({ length }) => length));
}

describe('what is printed fits a terminal', () => {
  const LONG = 'a'.repeat(100);
  const WORDS =
    'NodeCreationFailure: Instances failed to join the kubernetes cluster (i-0123456789abcdef0); look at it';

  test('--help', async () => {
    expect(await main(['bootstrap', '--help'], terminal)).toBe(0);
    expect(widest(out)).toBeLessThanOrEqual(80);
  });

  test('a plan of names as long as they may be, with its differences', async () => {
    const [, group] = PLAN.items;
    const differences = [
      { what: 'tags', found: 'owner=(none), '.repeat(9), wanted: 'owner=x, '.repeat(9), remedy: 'change', note: WORDS },
    ] as const;
    const items = [
      ...PLAN.items,
      { ...group!, id: `launch template ${LONG}-llm`, differences },
      { ...group!, id: `access entry ${'b'.repeat(60)}`, action: 'failed', status: 'CREATE_FAILED' } as const,
    ];
    const checks = [{ level: 'error', about: 'subnets', message: WORDS.repeat(2) } as const];
    const given = module({ planCluster: () => Promise.resolve({ ...PLAN, items, checks }) });
    await run(options({}), terminal, given);
    expect(out).toContain('\n  = cluster vllm-research ');
    expect(out).toContain(`\n  ! launch template ${LONG}-llm\n      differs; apply --replace changes it\n`);
    expect(widest(out.replaceAll(`! launch template ${LONG}-llm`, ''))).toBeLessThanOrEqual(80);
  });

  test('progress, and steps that failed', async () => {
    const message = `node group llm-arm is CREATE_FAILED\n    ${WORDS} ${WORDS}`;
    const applyCluster: typeof bootstrap.applyCluster = (_, session) => {
      session?.print?.(`[  1m05s] node group llm-arm  ${WORDS}`);
      const steps = [{ id: 'node group llm-arm', ended: 'failed', message } as const];
      return Promise.resolve({ plan: PLAN, steps, succeeded: false });
    };
    await run(options({ action: 'apply' }), terminal, module({ applyCluster }));
    expect(widest(out)).toBeLessThanOrEqual(80);
    expect(out).toMatch(/^\[ {2}1m05s\] node group llm-arm {2}NodeCreationFailure: .*\n {10}\S/);
    expect(out).toMatch(/\n {2}x node group llm-arm is CREATE_FAILED\n {4}NodeCreationFailure: .*\n {6}\S/);
  });

  test('an error, and what is wrong with a file', async () => {
    const failing = module({ planCluster: () => Promise.reject(new bootstrap.StepError('x', WORDS.repeat(3))) });
    await run(options({}), terminal, failing);
    expect(widest(error)).toBeLessThanOrEqual(80);
    const path = join(folder, 'wide.yaml');
    writeFileSync(path, readFileSync(EXAMPLE, 'utf8').replace('nodes:', 'noodles:').replace('public:', 'x:'));
    error = '';
    expect(await main(['bootstrap', 'plan', '-f', path], { ...terminal })).toBe(2);
    expect(widest(error)).toBeLessThanOrEqual(80);
    // Editors and terminals find the place by the beginning of the line.
    expect(error).toMatch(new RegExp(`\n${path}:33:3:\\s+'noodles' is no key of nodeGroup`));
  });

  test('what comes next', () => {
    const file = bootstrap.readClusterFile(readFileSync(EXAMPLE, 'utf8'));
    const lines = bootstrap
      .nextSteps(file, 'cluster.yaml', 'vpc-0123456789abcdef0')
      .flatMap(({ commands }) => commands);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(75);
    // Prometheus takes monitors by the name of its release.
    const dist = readFileSync(join(root, 'dist/vllm-gemma.k8s.yaml'), 'utf8');
    const release = /\n {4}release: (\S+)/.exec(dist)![1]!;
    expect(lines).toContain(`helm upgrade --install ${release} kube-prometheus-stack \\`);
  });
});

describe('a cluster file that is none', () => {
  test.each([
    ['/dev/zero', 'it has 4194304 characters; a cluster file has at most 65536'],
    [tmpdir(), 'it is a folder; name the cluster.yaml in it'],
    [`${EXAMPLE}/x`, 'a part of its path is no folder'],
  ])('%s', async (path, message) => {
    await expect(run(options({ file: path }), terminal, module({}))).rejects.toThrow(message);
  });
});

describe('kubeconfig', () => {
  const entry = {
    name: 'c',
    clusterName: 'c',
    region: 'us-east-1',
    endpoint: 'https://c',
    certificateAuthority: 'Q0E=',
  };
  const given = (): typeof bootstrap => module({ clusterEntry: () => Promise.resolve(entry) });

  test('is written for its owner alone, through a link, and not in a dry run', async () => {
    const [target, link] = [join(folder, 'config'), join(folder, 'link')];
    writeFileSync(target, 'apiVersion: v1\nkind: Config\nclusters: []\n', { mode: 0o644 });
    symlinkSync(target, link);
    expect(await run(options({ action: 'kubeconfig', kubeconfig: link, dryRun: true }), terminal, given())).toBe(0);
    expect(readFileSync(target, 'utf8')).not.toContain('https://c');
    expect(await run(options({ action: 'kubeconfig', kubeconfig: link }), terminal, given())).toBe(0);
    expect(readFileSync(target, 'utf8')).toContain('server: https://c');
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  test('a file that is closed to writing stays as it is', async () => {
    const path = join(folder, 'closed');
    const text = 'apiVersion: v1\nkind: Config\ncurrent-context: other\n';
    writeFileSync(path, text, { mode: 0o400 });
    await expect(run(options({ action: 'kubeconfig', kubeconfig: path }), terminal, given())).rejects.toThrow(
      `'${path}' is read-only, and stays as it is`,
    );
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual([text, 0o400]);
  });

  test.each([
    ['a folder', () => folder, 'cannot be read: it is a folder'],
    ['a path through a file', () => `${EXAMPLE}/config`, 'cannot be read: a part of its path is no folder'],
    ['a folder that nobody can make', () => '/proc/nothing/config', 'cannot be written: '],
  ])('%s is no place for it', async (_, path, message) => {
    await expect(run(options({ action: 'kubeconfig', kubeconfig: path() }), terminal, given())).rejects.toThrow(
      message,
    );
  });

  test('a file that is none stays as it is', async () => {
    const path = join(folder, 'broken');
    writeFileSync(path, '{');
    expect(await run(options({ action: 'kubeconfig', kubeconfig: path }), terminal, given())).toBe(1);
    expect(error).toContain('it is no kubeconfig');
    expect(readFileSync(path, 'utf8')).toBe('{');
  });
});

/** The files that a program loads, without those of Node. */
function loadedBy(code: string): string[] {
  const script = `${code}\nsetTimeout(() => process.stdout.write(JSON.stringify(Object.keys(require.cache))), 0);`;
  return JSON.parse(
    execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' }).split('\n').at(-1)!,
  ) as string[];
}
const aws = (files: readonly string[]): string[] =>
  files.filter((file) =>
    /\/@(aws-sdk|smithy)\/|\/bootstrap(-aws)?\.cjs$|\/src\/bootstrap\//.test(file.slice(root.length)),
  );

describe.skipIf(missing && process.env.CI !== 'true')('who pays for it', () => {
  test('not who loads the library, and not a synthesis', () => {
    const library = loadedBy("require('cdk8s-vllm');");
    expect(library.some((file) => file.endsWith('lib/src/index.js'))).toBe(true);
    expect(aws(library)).toEqual([]);
    const synthesis = loadedBy(
      `process.env.CDK8S_OUTDIR = ${JSON.stringify(folder)}; process.argv[2] = ${JSON.stringify(folder)}; require('./lib/examples/gemma-two-nodes/main.js');`,
    );
    expect(synthesis.length).toBeGreaterThan(library.length);
    expect(aws(synthesis)).toEqual([]);
  });

  test('not another command, and of this one only what is asked for', () => {
    const files = (...args: string[]): string[] =>
      loadedBy(
        `process.argv.splice(1, Infinity, 'cdk8s-vllm', ...${JSON.stringify(args)}); process.stdout.write = ((write) => function (text) { return /^\\[/.test(text) ? write.call(process.stdout, '\\n' + text) : true; })(process.stdout.write); require('./lib/cli.cjs');`,
      ).map((file) => file.slice(root.length));
    const plan = files('plan', 'google/gemma-3-1b-it', '--node', 'm7g.2xlarge');
    expect(plan).toEqual(['/lib/cli.cjs', '/lib/cli/plan.cjs']);
    expect(files('bootstrap', '--help')).toEqual(['/lib/cli.cjs', '/lib/cli/bootstrap.cjs']);
    for (const file of [...plan, '/lib/cli/bootstrap.cjs']) {
      expect(readFileSync(join(root, file), 'utf8')).not.toContain('@aws-sdk');
    }
  });

  test('a wrong file costs the parser, and not the SDK', () => {
    const module = loadedBy("require('cdk8s-vllm/bootstrap');");
    expect(module.map((file) => file.slice(root.length))).toEqual(['/lib/bootstrap.cjs']);
  });

  test('the built program: exit codes, and no stack traces', () => {
    const path = join(folder, 'cluster.yaml');
    writeFileSync(path, readFileSync(EXAMPLE, 'utf8').replace('name: vllm-research', `name: ${'a'.repeat(101)}`));
    const wrong = spawnSync(process.execPath, [CLI, 'bootstrap', 'apply', '-f', path], { encoding: 'utf8' });
    expect([wrong.status, wrong.stdout]).toEqual([2, '']);
    expect(wrong.stderr).toMatch(
      /^cdk8s-vllm: 1 thing to correct, nothing was called\n.*cluster\.yaml:\d+:7: name is\s+'a+…',\s+which has 101 characters/,
    );
    const nobody = { PATH: process.env.PATH, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' };
    const unsigned = spawnSync(process.execPath, [CLI, 'bootstrap', 'plan', '-f', EXAMPLE], {
      encoding: 'utf8',
      env: nobody,
    });
    expect([unsigned.status, unsigned.stdout]).toEqual([1, '']);
    expect(unsigned.stderr.replace(/\s+/g, ' ')).toMatch(
      /^cdk8s-vllm: there are no usable credentials for sts:GetCallerIdentity; sign in again/,
    );
    expect(widest(unsigned.stderr)).toBeLessThanOrEqual(80);
    expect(unsigned.stderr).not.toMatch(/\n +at /);
  });

  test('the built program, ended half-way: it says what becomes of it', async () => {
    // AWS, which never answers.
    const connections: Socket[] = [];
    const silent = createServer((socket) => {
      connections.push(socket);
      child.kill('SIGINT');
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const child = spawn(process.execPath, [CLI, 'bootstrap', 'apply', '-f', EXAMPLE], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
        AWS_SECRET_ACCESS_KEY: 'secret',
      },
    });
    let words = '';
    child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    connections.forEach((socket) => socket.destroy());
    silent.close();
    expect(code).toBe(130);
    expect(words).toBe(
      '\ncdk8s-vllm: ended by SIGINT; AWS goes on with what was begun.\nRun `bootstrap apply` again, and it goes on from there.\n',
    );
  });
});
