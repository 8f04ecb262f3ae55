import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { App } from 'cdk8s';
import type { IConstruct } from 'constructs';
import type { VllmPipelineGroup } from '../constructs/vllm-pipeline-group';
import type { KubernetesObject } from '../rules/finding';
import { readManifests } from './manifests';
import type { ControllerVersions } from './prerequisites';
import { summary } from './summary';

const GROUP = Symbol.for('cdk8s-vllm.VllmPipelineGroup');
const TARGET = Symbol.for('cdk8s-vllm.cluster-target');

/** A problem that the person can mend; everything else is a fault of the program and keeps its stack. */
export class UsageError extends Error {}

/**
 * Runs a compiled cdk8s app, writes its bundle into a folder as `cdk8s synth` does, and returns the summary. The old
 * bundle stays until the new one is whole.
 */
export async function synth(appFile: string, outdir: string): Promise<string> {
  const previous = readFolder(outdir);
  refuseForeignFiles(outdir);
  const folder = resolve(outdir);
  const scratch = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    const app = await runApp(resolve(appFile), scratch);
    const files = readdirSync(scratch).filter((name) => name.endsWith('.yaml'));
    if (files.length === 0) {
      throw new UsageError(`${appFile} wrote no manifest; does it call app.synth()?`);
    }
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
    return files
      .sort()
      .map((name) => {
        const text = readFileSync(join(folder, name), 'utf8');
        return summary({
          file: relative(process.cwd(), join(folder, name)) || name,
          bytes: Buffer.byteLength(text),
          objects: readManifests(text),
          previous: previous.get(name),
          groups: groupsOf(app, name),
          versions: versionsOf(app),
        });
      })
      .join('\n');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runApp(file: string, outdir: string): Promise<App | undefined> {
  if (!existsSync(file)) {
    throw new UsageError(`${file} is not there; build first: npm run build`);
  }
  // cdk8s reads it when the App is made, as it does under `cdk8s synth`.
  process.env.CDK8S_OUTDIR = outdir;
  const module = (await import(file)) as { app?: App; default?: { app?: App } };
  return module.app ?? module.default?.app;
}

/** The folder is replaced as a whole, so it must not hold anything else. */
function refuseForeignFiles(outdir: string): void {
  const foreign = existsSync(outdir) ? readdirSync(outdir).filter((name) => !name.endsWith('.k8s.yaml')) : [];
  if (foreign.length > 0) {
    throw new UsageError(
      `${outdir} holds ${foreign.join(', ')}, which would be deleted; give a folder that is empty or holds rendered ` +
        'manifests (*.k8s.yaml) alone',
    );
  }
}

/** The bundle that was written last; a file that cannot be read any more counts as none. */
function readFolder(folder: string): Map<string, KubernetesObject[]> {
  const found = new Map<string, KubernetesObject[]>();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (name.endsWith('.yaml')) {
      try {
        found.set(name, readManifests(readFileSync(join(folder, name), 'utf8')));
      } catch {
        // Said by the summary: nothing to compare with.
      }
    }
  }
  return found;
}

/** The groups of the chart that a file was written from. */
function groupsOf(app: App | undefined, file: string): VllmPipelineGroup[] {
  const chart = file.replace(/(\.k8s)?\.yaml$/, '');
  return (app?.node.findAll() ?? []).filter(
    (construct): construct is VllmPipelineGroup => GROUP in construct && chartIdOf(construct) === chart,
  );
}

function chartIdOf(construct: IConstruct): string {
  return construct.node.path.split('/')[0]!;
}

function versionsOf(app: App | undefined): ControllerVersions {
  return (app as unknown as { [TARGET]?: ControllerVersions } | undefined)?.[TARGET] ?? {};
}
