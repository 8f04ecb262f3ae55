import type { TestProject } from 'vitest/node';
import { Cluster } from './harness/cluster';
import { builtPrograms, hasGo } from './harness/programs';

/** Builds the programs, or waits for who is building them, and starts the cluster that all tests share. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!hasGo()) {
    if (process.env.CI === 'true') {
      throw new Error('the cluster tests need Go 1.26 or newer');
    }
    console.warn('\nTHE CLUSTER TESTS ARE SKIPPED: they need Go 1.26 or newer, see docs/testing.md\n');
    project.provide('cluster', null);
    return undefined;
  }
  endWithNpm();
  const started = Date.now();
  const programs = builtPrograms();
  const built = Date.now();
  const cluster = await Cluster.start(programs);
  console.log(
    `programs at hand after ${seconds(built - started)} s, cluster up after ${seconds(Date.now() - built)} s`,
  );
  project.provide('cluster', cluster.facts);
  return async () => await cluster.stop();
}

/** Who is started by npm ends with it: a signal that npm cannot hand on, such as SIGKILL, would leave the run to itself. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === 'test:cluster') {
    const npm = process.ppid;
    setInterval(() => {
      if (process.ppid !== npm) {
        process.exit(1);
      }
    }, 200).unref();
  }
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}
