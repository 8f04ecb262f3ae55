import { afterEach, describe, expect, test } from 'vitest';
import { applyCluster, planCluster } from '../../../src/bootstrap';
import { exampleFile, HAS_MODELS, world, type World } from './world';

let current: World;
afterEach(() => current.peer.close());

describe.skipIf(!HAS_MODELS)('apply against the strict peer', () => {
  test('makes the reference cluster, and then has nothing to do', async () => {
    current = await world();
    const report = await applyCluster(exampleFile(), current.options);
    expect(report.succeeded).toBe(true);
    expect(current.peer.violations).toEqual([]);
    const plan = await planCluster(exampleFile(), current.options);
    expect(plan.items.map(({ id, action }) => `${id}: ${action}`)).toEqual(plan.items.map(({ id }) => `${id}: exists`));
  });
});
