import { prove } from '../../operate/prove/prove';
import { asking, openCluster } from '../cluster';
import { readConfigFile } from '../plan/config-file';
import { steps } from '../progress';
import { json, type Terminal } from '../terminal';
import { readOptions, usage } from './options';
import { textOf } from './text';

const CODES = { crossed: 0, 'not-crossed': 1, 'not-judged': 2 } as const;

/** `cdk8s-vllm prove`: prints the report and gives the exit code: 0 it crossed, 1 it did not, 2 it could not be judged. */
export function proveCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return asking(args, terminal, async () => {
    const options = readOptions(args);
    if (options.isHelp) {
      terminal.out(usage());
      return 0;
    }
    const { given, config, format, isQuiet, ...rest } = options;
    const content = config === undefined ? undefined : readConfigFile(config);
    const report = await prove({
      ...rest,
      ...(config !== undefined && { config: { content, from: config } }),
      kubectl: await openCluster(given),
      say: steps(terminal, isQuiet),
    });
    terminal.out(format === 'json' ? json(report) : textOf(report, terminal.colour));
    return CODES[report.verdict];
  });
}
