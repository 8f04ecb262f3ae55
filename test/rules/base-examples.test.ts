import { describe, expect, test } from 'vitest';
import * as examples from '../../src/rules/examples';
import { readGroups } from '../../src/manifest/groups';
import { runRules } from '../../src/rules/index';
import { objectsOf } from './manifests';

const { CPU_GROUP, CPU_POD, CPU_POD_BEHIND_BALANCER, GPU_GROUP, GROUP_SERVICE, INGRESS, POD_MONITOR, POD_SERVICE } =
  examples;

describe('the manifests that examples are made from', () => {
  test.each([
    ['a group on CPU', [CPU_GROUP, GROUP_SERVICE, POD_MONITOR]],
    ['a group on GPUs', [GPU_GROUP]],
    ['a pod', [CPU_POD, POD_SERVICE]],
    ['a pod behind a balancer', [CPU_POD_BEHIND_BALANCER, POD_SERVICE, INGRESS]],
  ])('%s: are read whole, and no rule has a word', (_, parts) => {
    const objects = objectsOf(examples.together(...parts));
    expect(objects).toHaveLength(parts.length);
    const { groups, unread } = readGroups(objects);
    expect(groups).toHaveLength(1);
    expect(unread).toEqual([]);
    expect(runRules(objects).map(({ id, path, what }) => `${id} ${path} ${what}`)).toEqual([]);
  });

  test('an edit that changes nothing is a mistake', () => {
    expect(() => examples.edit(CPU_POD, ['no such text', ''])).toThrow("does not hold 'no such text'");
  });
});
