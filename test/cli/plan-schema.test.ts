import { describe, expect, test } from 'vitest';
import { planned, REFERENCE } from './plan-runner';
import { validatorOf } from './schemas';

describe('docs/plan.schema.json', () => {
  const validate = validatorOf('plan');

  test.each([
    REFERENCE,
    `${REFERENCE} --explain`,
    `${REFERENCE} --vllm 0.28.0`,
    'google/gemma-3-1b-it --node m7g.2xlarge',
    'google/gemma-3-1b-it --node m7g.2xlarge -pp 27 -tp 3 --block-size 48',
    'google/gemma-3-27b-it --node m7g.2xlarge --nodes 2',
    'meta-llama/Llama-3.1-405B-Instruct --node p5.48xlarge --nodes 2',
    'meta-llama/Llama-4-Scout-17B-16E-Instruct --node p5.48xlarge --explain',
    'Qwen/Qwen3-Next-80B-A3B-Instruct --node p5.48xlarge',
  ])('describes %s', async (command) => {
    const valid = validate(await planned(command));
    expect(validate.errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('refuses what is no plan', async () => {
    const document = await planned(REFERENCE);
    expect(validate({ ...document, fits: 'yes' })).toBe(false);
    expect(validate({ ...document, schemaVersion: 2 })).toBe(false);
    expect(validate({ ...document, unknown: 1 })).toBe(false);
    expect(validate({})).toBe(false);
  });
});
