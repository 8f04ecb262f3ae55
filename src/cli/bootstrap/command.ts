import type * as Bootstrap from '../../bootstrap';
import { tellProgram } from '../flags';
import { fold } from './fold';
import { clusterFileText, kubeconfigPath, readIfThere, writePrivately } from './files';
import { json, printable, type Terminal, WrongInput } from '../terminal';
import { tellingWhenEnded } from './interrupted';
import { loadBootstrap } from './load';
import { type Options, readOptions, usage } from './options';
import { applyText, destroyText, nextText, planText, verifyText } from './text';

/** Columns before the name of a step in a line of progress: the time that has passed. */
const PROGRESS_INDENT = 10;

/** `cdk8s-vllm bootstrap`: gives the exit code, 0 done, 1 something failed or is amiss; wrong input is thrown. */
export async function bootstrap(args: readonly string[], terminal: Terminal): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    tellProgram(error, args, terminal);
    throw error;
  }
  if (options.action === 'help') {
    terminal.out(usage());
    return 0;
  }
  return run(options, terminal, loadBootstrap());
}

/** The same with the module given. */
export async function run(
  options: Options,
  terminal: Terminal,
  module: typeof Bootstrap,
  session: Bootstrap.SessionOptions = {},
): Promise<number> {
  // A program finds the reason where it looks for the answer; people get it on standard error, in lines of their terminal.
  const tellReason = (reason: string): void => {
    if (options.json) {
      terminal.out(json({ error: module.redact(reason) }));
    }
  };
  try {
    const file = module.readClusterFile(clusterFileText(options.file), options.file);
    const begin = (): Promise<number> => act(file, options, terminal, module, session);
    const { action } = options;
    const changes = !options.dryRun && (action === 'apply' || action === 'tag' || action === 'destroy');
    return await (changes ? tellingWhenEnded(terminal, action, begin) : begin());
  } catch (error) {
    if (error instanceof module.ClusterFileError) {
      const { length } = error.problems;
      const found = `${length} thing${length === 1 ? '' : 's'} to correct, nothing was called`;
      tellReason(`${found}\n${error.message}`);
      throw new WrongInput(`${found}\n${fold(error.message, 4)}`);
    }
    if (
      error instanceof module.CallError ||
      error instanceof module.StepError ||
      error instanceof module.KubeconfigError
    ) {
      tellReason(error.message);
      terminal.error(`${fold(`cdk8s-vllm: ${printable(module.redact(error.message))}`)}\n`);
      return 1;
    }
    if (error instanceof WrongInput) {
      tellReason(error.message);
    }
    throw error;
  }
}

async function act(
  file: Bootstrap.ClusterFile,
  options: Options,
  terminal: Terminal,
  module: typeof Bootstrap,
  given: Bootstrap.SessionOptions,
): Promise<number> {
  const { dryRun, replace } = options;
  // Everything that is printed goes through here: no account, key or token.
  const out = (words: string): void => terminal.out(printable(module.redact(words)));
  const session = { ...given, dryRun, replace, print: (line: string) => out(`${fold(line, PROGRESS_INDENT)}\n`) };
  switch (options.action) {
    case 'plan': {
      const plan = await module.planCluster(file, session);
      out(options.json ? json(plan) : planText(plan, replace));
      return plan.canApply ? 0 : 1;
    }
    case 'apply': {
      const report = await module.applyCluster(file, session, (plan) => out(`${planText(plan, replace)}\n`));
      if (report.plan.canApply && !dryRun) {
        out(applyText(report));
      }
      if (report.succeeded && !dryRun) {
        out(`\n${nextText(module.nextSteps(file, options.file, report.vpcId ?? '<vpc>'))}`);
      }
      return report.succeeded ? 0 : 1;
    }
    case 'tag': {
      const report = await module.tagNodes(file, session);
      out(dryRun && report.succeeded ? planText(report.plan, false) : applyText(report));
      return report.succeeded ? 0 : 1;
    }
    case 'verify': {
      const report = await module.verifyCluster(file, session);
      out(options.json ? json(report) : verifyText(report));
      return report.isGood ? 0 : 1;
    }
    case 'destroy': {
      const confirmed = options.yes && !dryRun;
      const report = await module.destroyCluster(file, { ...session, confirmed });
      out(destroyText(report, confirmed));
      return report.blockers.length + report.failed.length > 0 || (!confirmed && !dryRun && report.ours.length > 0)
        ? 1
        : 0;
    }
    case 'kubeconfig': {
      const entry = await module.clusterEntry(file, options.context, session);
      const path = kubeconfigPath(options.kubeconfig);
      const merged = module.mergeKubeconfig(readIfThere(path), entry);
      if (dryRun) {
        out(`Would write context ${entry.name} into ${path}\n`);
        return 0;
      }
      writePrivately(path, merged);
      out(`Context ${entry.name} is in ${path}, and is the current one\n`);
      return 0;
    }
    case 'help':
      return 0;
  }
}
