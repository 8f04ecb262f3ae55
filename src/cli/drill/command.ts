import { drill } from '../../operate/drill/drill';
import { asking, openCluster } from '../cluster';
import { steps } from '../progress';
import { endOnSignals } from '../signals';
import { json, printable, type Terminal } from '../terminal';
import { markdownOf } from './markdown';
import { readOptions, usage } from './options';
import { textOf } from './text';

/** `cdk8s-vllm drill`: prints the report and gives the exit code: 0 all healed, 1 one did not. */
export function drillCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return asking(args, terminal, async () => {
    const options = readOptions(args);
    if (options.isHelp) {
      terminal.out(usage());
      return 0;
    }
    const { given, format, isQuiet, ...rest } = options;
    const report = await drill({
      ...rest,
      kubectl: await openCluster(given),
      say: steps(terminal, isQuiet),
      // What a fault left on a node is put right before this program goes.
      onFault: (repair) =>
        endOnSignals(async () => {
          try {
            await repair();
          } catch (error) {
            terminal.error(`cdk8s-vllm: ${printable((error as Error).message)}\n`);
          }
        }),
    });
    terminal.out(
      format === 'json' ? json(report) : format === 'markdown' ? markdownOf(report) : textOf(report, terminal.colour),
    );
    return report.held ? 0 : 1;
  });
}
