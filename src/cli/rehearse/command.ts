import { join } from 'node:path';
import { CannotRehearse } from '../../operate/rehearse/cannot';
import { rehearse } from '../../operate/rehearse/rehearse';
import { readConfigFile } from '../plan/config-file';
import { json, type Terminal, WrongInput } from '../terminal';
import { readBundle } from './bundle';
import { type Options, readOptions, usage, wantsJson } from './options';
import { Progress } from './progress';
import { textOf } from './text';

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
    return await run(options, terminal);
  } catch (error) {
    const known = error instanceof CannotRehearse ? new WrongInput(error.message) : error;
    if (known instanceof WrongInput && wantsJson(args)) {
      terminal.out(json({ error: known.message }));
    }
    throw known;
  }
}

async function run(options: Options, terminal: Terminal): Promise<number> {
  const wanted = {
    objects: readBundle(options.files),
    path: process.env['PATH'] ?? '',
    isShared: options.isLoopback,
    ...(options.group !== undefined && { group: options.group }),
    ...(options.config !== undefined && { config: readConfigFile(options.config) as Record<string, unknown> }),
    ...(options.python !== undefined && { python: options.python }),
  };
  const progress = new Progress(options.isQuiet ? () => undefined : terminal.error);
  const report = await rehearse(wanted, {
    supervisor: SUPERVISOR,
    timeout: options.timeout,
    progress: (_, samples, logs) => progress.look(samples, logs),
    onOpen: endOnSignals,
    ...(options.logs !== undefined && { logs: options.logs }),
  });
  terminal.out(options.format === 'json' ? json(report) : textOf(report));
  return report.held ? 0 : 1;
}

/** Ctrl-C and its like end the ranks first, and then this program, as the signal would have. */
function endOnSignals(end: () => Promise<void>): void {
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.once(signal, () => {
      void end().finally(() => process.exit(128 + number));
    });
  }
}
