import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { App } from 'cdk8s';
import { GROUP, TARGET } from '../constructs/symbols';
import type { VllmPipelineGroup } from '../constructs/vllm-pipeline-group';
import type { KubernetesObject } from '../rules/finding';
import { readManifests } from './manifests';
import type { ControllerVersions } from './prerequisites';
import { type BundleFile, summary } from './summary';

const SUFFIX = '.k8s.yaml';

/**
 * Runs a compiled cdk8s app, writes its bundle into a folder as `cdk8s synth` does, and returns the summary. The old
 * bundle stays until the new one is whole.
 */
export async function synth(appFile: string, outdir: string): Promise<string> {
  refuseForeignFiles(outdir);
  const previous = readFolder(outdir);
  const folder = existsSync(outdir) ? realpathSync(outdir) : resolve(outdir);
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  const clean = (): void => rmSync(scratch, { recursive: true, force: true });
  const interrupted = (): void => {
    clean();
    process.exit(130);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const app = await runApp(resolve(appFile), scratch);
    const names = readdirSync(scratch).filter((name) => name.endsWith(SUFFIX));
    if (names.length === 0) {
      throw new Error(
        `${appFile} wrote no *${SUFFIX} into the folder that it was given; its App must call synth(), without an outdir, ` +
          'an output type or a file extension of its own',
      );
    }
    chmodSync(scratch, 0o777 & ~process.umask());
    rmSync(folder, { recursive: true, force: true });
    renameSync(scratch, folder);
    const files = names.sort().map((name): BundleFile => {
      const text = readFileSync(join(folder, name), 'utf8');
      return { path: relative(process.cwd(), join(outdir, name)), text, objects: readManifests(text) };
    });
    return summary({ folder: outdir, files, previous, groups: groupsOf(app), versions: versionsOf(app) });
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    clean();
  }
}

async function runApp(file: string, outdir: string): Promise<App | undefined> {
  if (!existsSync(file)) {
    throw new Error(`${file} is not there; build first: npm run build`);
  }
  // cdk8s reads it when the App is made, as it does under `cdk8s synth`.
  process.env.CDK8S_OUTDIR = outdir;
  const module = (await import(pathToFileURL(file).href)) as { app?: App; default?: { app?: App } };
  return module.app ?? module.default?.app;
}

/** The folder is replaced as a whole, so it must not hold anything else. */
function refuseForeignFiles(outdir: string): void {
  const names = existsSync(outdir) ? readdirSync(outdir) : [];
  const foreign = names.filter((name) => !name.endsWith(SUFFIX));
  if (foreign.length > 0) {
    throw new Error(
      `${outdir} holds ${foreign.join(', ')}, which would be deleted; give a folder that is empty or holds rendered ` +
        `manifests (*${SUFFIX}) alone`,
    );
  }
}

/** The bundle that was written last: none when there was none, or when a file of it cannot be read any more. */
function readFolder(folder: string): KubernetesObject[] | undefined {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(SUFFIX)) : [];
  if (names.length === 0) {
    return undefined;
  }
  try {
    return names.sort().flatMap((name) => readManifests(readFileSync(join(folder, name), 'utf8')));
  } catch {
    return undefined;
  }
}

function groupsOf(app: App | undefined): VllmPipelineGroup[] {
  return (app?.node.findAll() ?? []).filter((construct): construct is VllmPipelineGroup => GROUP in construct);
}

function versionsOf(app: App | undefined): ControllerVersions {
  return (app as unknown as { [TARGET]?: ControllerVersions } | undefined)?.[TARGET] ?? {};
}
