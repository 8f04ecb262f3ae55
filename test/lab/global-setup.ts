import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { referenceBundle } from './bundle';
import { imageNames } from './harness/image-names';
import { Lab } from './harness/lab';
import { missingForLab } from './harness/needs';
import type { Programs } from './harness/shared';
import { leftOf, surroundings } from './harness/snapshot';

const ROOT = join(__dirname, '../..');
/** The release that the bundle's image names, or another one. */
const VERSION = process.env.VLLM ?? '0.31.0';

/** Builds and installs what a lab is made of, starts it, and compares the machine after it with the machine before. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const missing = missingForLab();
  if (missing.length > 0) {
    const needs = `the lab needs, and does not find here:\n${missing.map((each) => `  - ${each}`).join('\n')}`;
    if (process.env.CI === 'true') {
      throw new Error(needs);
    }
    console.warn(`\nTHE LAB TESTS ARE SKIPPED: ${needs}\nsee docs/testing.md\n`);
    project.provide('lab', null);
    return undefined;
  }
  const started = Date.now();
  const programs = programsOfLab();
  console.log(`programs and vLLM ${VERSION} at hand after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  const before = surroundings();
  const lab = await Lab.start(programs, imageNames(referenceBundle()));
  project.provide('lab', lab.facts);
  return async () => {
    const timeline = readFileSync(join(lab.facts.folder, 'timeline'), 'utf8');
    const ending = Date.now();
    await lab.stop();
    console.log(`\nThe run, in seconds since the lab was started:\n${timeline}`);
    console.log(`taken down in ${((Date.now() - ending) / 1000).toFixed(1)} s`);
    compare(before, leftOf(lab.facts));
  };
}

function programsOfLab(): Programs {
  const [kubernetes, machines] = output(process.execPath, 'test/programs/build.mjs', 'kubernetes', 'machines');
  const [python] = output('python3', 'test/engine/real/install.py', VERSION);
  return { kubernetes: kubernetes!, machines: machines!, python: python!, version: VERSION };
}

/** The lines that a program prints. */
function output(...[program, script, ...args]: [string, string, ...string[]]): string[] {
  const { status, stdout } = spawnSync(program, [join(ROOT, script), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) {
    throw new Error(`${script} failed; the reason stands above`);
  }
  return stdout.trim().split('\n');
}

/** @throws when something of the lab is left, or something of the machine changed */
function compare(before: readonly string[], left: readonly string[]): void {
  const after = surroundings();
  const changed = [
    ...left.map((each) => `left: ${each}`),
    ...after.filter((each) => !before.includes(each)).map((each) => `new: ${each}`),
    ...before.filter((each) => !after.includes(each)).map((each) => `gone: ${each}`),
  ];
  if (changed.length > 0) {
    // An error here is printed, and the run ends as if there were none.
    process.exitCode = 1;
    throw new Error(`the lab did not leave the machine as it was:\n${changed.join('\n')}`);
  }
  console.log(
    'nothing is left: processes, mounts, network namespaces, links, cgroups, settings and folders are as before',
  );
}
