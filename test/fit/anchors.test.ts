import { describe, expect, test } from 'vitest';
import { planGroup } from '../../src/fit/plan';
import { GIBI } from '../../src/fit/units';
import { requestBytes, wire } from '../../src/fit/wire';
import { LWS_CONTROLLER, LWS_CONTROLLER_OF_CHART } from '../../src/hardware/system-pods';
import { nodeOf } from '../../src/hardware/nodes';
import { shapeOf } from '../../src/model/catalogue';
import { input } from './shapes';

/** What the article's pods asked for. */
const ARTICLE = { cpu: 6000, memory: 20 * GIBI, kvCacheMemory: 4 * GIBI, maxModelLen: 4096 };

function ids(plan: { problems: readonly { id: string }[] }): string[] {
  return plan.problems.map(({ id }) => id);
}

describe("the article's numbers", () => {
  test('bytes between the nodes', () => {
    const between = planGroup(input()).wire!;
    expect(between.bytesPerPromptToken).toBe(4608);
    expect(between.bytesPerGeneratedToken / 1000).toBeCloseTo(10.3, 1);
    // Its request: 146 generated tokens after a prompt of a few words.
    const { forward, backward } = requestBytes(wire(1152, 2), 29, 146);
    expect(forward / 1e6).toBeCloseTo(1.36, 2);
    expect(backward / 1e6).toBeCloseTo(0.28, 2);
  });

  test('the reference fits its nodes', () => {
    expect(planGroup(input(ARTICLE))).toMatchObject({ fits: true, problems: [] });
  });

  test('the reference does not fit m7g.xlarge: 6 vCPU do not fit on 4, and memory is short', () => {
    const plan = planGroup(input({ ...ARTICLE, node: nodeOf('m7g.xlarge') }));
    expect(plan.fits).toBe(false);
    expect(ids(plan)).toEqual(['fit/cpu-over-node', 'fit/memory-over-node']);
    expect(plan.problems[0]!.what).toContain('cpu is 6;');
    expect(plan.problems[0]!.why).toContain('of 4 vCPU and 16.0 GiB the kubelet leaves 3.92');
    expect(plan.problems[0]!.why).toContain('"0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory."');
    expect(plan.problems[1]!.what).toContain('memory is 20.0 GiB');
    expect(plan.nearest.map(({ flags }) => flags.join(' '))).toContain('--node=m7g.2xlarge');
  });

  test('10 to 11 GiB a pod: the rank and the page cache of the weights', () => {
    const [leader, worker] = planGroup(input({ ...ARTICLE, maxNumBatchedTokens: 4096 })).ranks;
    const used = [leader!, worker!].map(({ memory }) => (memory.peak + memory.pageCache) / GIBI);
    expect(leader!.memory.pageCache / 1e9).toBeCloseTo(2.0, 1);
    expect(Math.max(...used)).toBeGreaterThan(9.5);
    expect(Math.max(...used)).toBeLessThan(11);
    expect(leader!.memory.peak / GIBI).toBeLessThan(9);
  });

  test('one node beats two: about 23 and 19 tokens a second', () => {
    const one = planGroup(input({ ...ARTICLE, pipelineParallelSize: 1 })).speed.decodeTokensPerSecond;
    const two = planGroup(input(ARTICLE)).speed.decodeTokensPerSecond;
    expect(Math.abs(one.estimate / 23 - 1)).toBeLessThan(0.25);
    expect(Math.abs(two.estimate / 19 - 1)).toBeLessThan(0.25);
    expect(one.estimate).toBeGreaterThan(two.estimate);
    const warning = planGroup(input(ARTICLE)).warnings.find(({ id }) => id === 'fit/split-not-needed');
    expect(warning!.what).toContain(`about ${one.estimate.toPrecision(2)} tokens/s there`);
  });

  test('some 600 prompt tokens a second, and a freeze that the default of batched tokens makes', () => {
    const { speed, batchedTokens } = planGroup(input({ ...ARTICLE, maxNumBatchedTokens: 4096 }));
    expect(speed.prefillTokensPerSecond.low).toBeLessThan(600);
    expect(speed.prefillTokensPerSecond.high).toBeGreaterThan(600);
    const freeze = Object.fromEntries(
      batchedTokens.map(({ maxNumBatchedTokens, freezeSeconds }) => [maxNumBatchedTokens, freezeSeconds]),
    );
    // Measured: 5.7 s with the whole prompt in one step, 3.4 s with 2048 tokens a step.
    expect(freeze[4096]! / freeze[2048]!).toBeCloseTo(5.7 / 3.4, 1);
    expect(freeze[4096]! / freeze[256]!).toBeGreaterThan(10);
  });

  test('5.9 vCPU are less than 6: a controller that asks for a whole one', () => {
    const others = [
      { name: 'daemon sets', cpuMillis: 150, memory: GIBI / 4, everyNode: true },
      { name: 'monitoring', cpuMillis: 860, memory: GIBI, everyNode: false },
    ];
    const byChart = planGroup(input({ ...ARTICLE, systemPods: [...others, LWS_CONTROLLER_OF_CHART] }));
    expect(byChart.nodes.free.cpuMillis).toBe(5900);
    expect(ids(byChart)).toEqual(['fit/cpu-over-node']);
    expect(byChart.problems[0]!.what).toBe('cpu is 6; m7g.2xlarge has 5.9 for it');
    const asPrinted = planGroup(input({ ...ARTICLE, systemPods: [...others, LWS_CONTROLLER] }));
    expect(asPrinted).toMatchObject({ fits: true, nodes: { free: { cpuMillis: 6800 } } });
  });

  test('405B needs two nodes of eight GPUs with 80 GB', () => {
    const model = shapeOf('meta-llama/Llama-3.1-405B-Instruct');
    const node = nodeOf('p5.48xlarge');
    const one = planGroup(input({ model, node, pipelineParallelSize: 1, tensorParallelSize: 8 }));
    expect(one.fits).toBe(false);
    expect(ids(one)).toContain('fit/memory-below-need');
    expect(one.nearest[0]!.flags.join(' ')).toContain('--nodes=2 -pp=2 -tp=8');
    const two = planGroup(input({ model, node, pipelineParallelSize: 2, tensorParallelSize: 8 }));
    expect(two).toMatchObject({ fits: true, nodes: { count: 2, gpus: 8 } });
    expect(two.ranks).toHaveLength(16);
  });

  test('Gemma 3 27B takes two nodes by its size', () => {
    const model = shapeOf('google/gemma-3-27b-it');
    const on = (name: string, stages: number): boolean =>
      planGroup(input({ model, node: nodeOf(name), pipelineParallelSize: stages })).fits;
    expect(on('m7g.4xlarge', 1)).toBe(false);
    expect(on('m7g.4xlarge', 2)).toBe(true);
    expect(on('m7g.2xlarge', 2)).toBe(false);
  });
});
