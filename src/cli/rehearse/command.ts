import { join } from 'node:path';
import { CannotRehearse } from '../../operate/rehearse/cannot';
import { drill } from '../../operate/rehearse/drill/drill';
import type { Wanted } from '../../operate/rehearse/prepare';
import { rehearse } from '../../operate/rehearse/rehearse';
import { readConfigFile } from '../plan/config-file';
import { tellProgram } from '../flags';
import { endOnSignals, unlessEnding } from '../signals';
import { json, type Terminal, WrongInput } from '../terminal';
import { readBundle } from './bundle';
import { drillText } from './drill-text';
import { keep } from './keep';
import { type Options, readOptions, usage } from './options';
import { Progress } from './progress';
import { textOf } from './text';
import type { RehearsalReport } from '../../operate/rehearse/report';

/** Stands beside the program in the package. */
const SUPERVISOR = join(__dirname, 'supervisor.cjs');

/** `cdk8s-vllm rehearse`: prints the report and gives the exit code: 0 all held, 1 something did not. */
export async function rehearseCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const options = readOptions(args);
    if (options.isHelp) {
      terminal.out(usage());
      return 0;
    }
    return await unlessEnding(run(options, terminal));
  } catch (error) {
    const known = error instanceof CannotRehearse ? new WrongInput(error.message) : error;
    tellProgram(known, args, terminal);
    throw known;
  }
}

async function run(options: Options, terminal: Terminal): Promise<number> {
  const wanted: Wanted = {
    objects: readBundle(options.files),
    path: process.env['PATH'] ?? '',
    isShared: options.isLoopback,
    ...(options.group !== undefined && { group: options.group }),
    ...(options.config !== undefined && { config: readConfigFile(options.config) as Record<string, unknown> }),
    ...(options.python !== undefined && { python: options.python }),
  };
  if (options.isDrill) {
    return runDrill(wanted, options, terminal);
  }
  const print = (report: RehearsalReport): void =>
    terminal.out(options.format === 'json' ? json(report) : textOf(report));
  const progress = new Progress(options.isQuiet ? () => undefined : terminal.error);
  let isWhole = true;
  const report = await rehearse(wanted, {
    supervisor: SUPERVISOR,
    timeout: options.timeout,
    progress: (_, samples, logs) => progress.look(samples, logs),
    onOpen: endOnSignals,
    ...(options.logs !== undefined && { logs: options.logs }),
    ...(options.keeps && {
      meanwhile: async (stage, seen) => {
        print(seen);
        // A group that did not come up has nothing to talk to.
        isWhole = seen.readySeconds === undefined || (await keep(stage, terminal.error));
      },
    }),
  });
  if (!options.keeps) {
    print(report);
  }
  return report.held && isWhole ? 0 : 1;
}

async function runDrill(wanted: Wanted, options: Options, terminal: Terminal): Promise<number> {
  const started = performance.now();
  const progress = new Progress(options.isQuiet ? () => undefined : terminal.error);
  const report = await drill(wanted, {
    supervisor: SUPERVISOR,
    timeout: options.timeout,
    faults: options.faults,
    progress: (fault, done) =>
      progress.say((performance.now() - started) / 1000, done === undefined ? fault : `${fault}: ${done.said}`),
    onOpen: endOnSignals,
  });
  terminal.out(options.format === 'json' ? json(report) : drillText(report));
  return report.held ? 0 : 1;
}
