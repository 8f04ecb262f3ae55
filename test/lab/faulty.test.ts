import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Yaml } from 'cdk8s';
import { afterEach, expect, test } from 'vitest';
import type { KubernetesObject } from '../../src/manifest/object';
import { referenceBundle } from './bundle';
import { prove, smoke } from './commands';
import { describeInLab } from './harness/given';
import { podsOf, readyPods, removeNamespace } from './live';
import { install, NAMESPACE, serving } from './serving';
import { until } from './wait';

const PROGRAM = join(__dirname, '../../lib/cli.cjs');

describeInLab('a fault put into a copy of the bundle is found in the cluster', () => {
  afterEach(async () => await removeNamespace(NAMESPACE));

  test('--enforce-eager: both pods are ready, and smoke names the rank that lost its buffer', async () => {
    const eager = edited((args) =>
      args.flatMap((arg) => ({ '-cc.mode=2': [], '-cc.backend=eager': ['--enforce-eager'] })[arg] ?? [arg]),
    );
    await serving('the bundle with --enforce-eager', eager);
    const { code, report } = await smoke('--tokens', '8', '--timeout', '60');
    expect(report.checks.find(({ id }) => id === 'pods')).toMatchObject({ held: 'yes' });
    expect(report.checks.find(({ id }) => id === 'chat')).toMatchObject({ held: 'no' });
    expect(report.breakage).toMatchObject({ rank: 1, podName: 'vllm-gemma-0-1', symptom: 'pipeline-buffer-missing' });
    expect(code).toBe(1);
  });

  test('size 1: it serves, and prove says that nothing crossed', async () => {
    const alone = edited((args) =>
      args
        .filter((arg) => !/^--(nnodes|node-rank|master-addr|master-port)=/.test(arg))
        .map((arg) => arg.replace(/^(--pipeline-parallel-size)=2$/, '$1=1')),
    );
    await install(
      alone.map((object) => {
        const copy = structuredClone(object) as { spec?: { leaderWorkerTemplate?: { size: number } } };
        if (copy.spec?.leaderWorkerTemplate !== undefined) {
          copy.spec.leaderWorkerTemplate.size = 1;
        }
        return copy as KubernetesObject;
      }),
    );
    await readyPods(NAMESPACE, 'app=vllm-gemma', 1);
    expect((await smoke('--tokens', '8')).code).toBe(0);
    const { code, report } = await prove('--tokens', '8', '--rest', '5');
    expect({ code, verdict: report.verdict, said: report.said }).toMatchObject({ code: 1, verdict: 'not-crossed' });
  });

  test('a Service with the name of the group: check names it, and, forced through, smoke', async () => {
    const objects = referenceBundle();
    const service = structuredClone(objects.find(({ kind }) => kind === 'Service')!);
    const taken = { ...service, metadata: { ...service.metadata, name: 'vllm-gemma' } };
    const forced = [
      ...objects.filter(({ kind }) => kind === 'Namespace'),
      taken,
      ...objects.filter(({ kind }) => kind !== 'Namespace'),
    ];

    const check = spawnSync(process.execPath, [PROGRAM, 'check', '-', '-o', 'json'], {
      input: Yaml.stringify(...forced),
      encoding: 'utf8',
    });
    expect(check.stdout).toContain('lws/service-name-collision');
    expect(check.status).toBe(1);

    await install(forced);
    // The leader waits for a name that will not come; its pod runs, and no more can be hoped for.
    await until('both pods to run', async () => {
      const pods = await podsOf(NAMESPACE, 'app=vllm-gemma');
      return pods.length === 2 && pods.every(({ status }) => status.phase === 'Running');
    });
    const { code, report } = await smoke();
    expect(report.breakage).toMatchObject({ symptom: 'leader-name-unknown' });
    expect(report.breakage?.cause).toContain('Service vllm-gemma has the name of the LeaderWorkerSet');
    expect(code).toBe(1);
  });
});

/** The bundle with other arguments in both roles. */
function edited(edit: (args: readonly string[]) => readonly string[]): KubernetesObject[] {
  return JSON.parse(JSON.stringify(referenceBundle()), (key, value: unknown) =>
    key === 'args' && Array.isArray(value) ? edit(value as string[]) : value,
  ) as KubernetesObject[];
}
