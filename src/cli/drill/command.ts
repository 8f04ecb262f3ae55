import { drill } from '../../operate/drill/drill';
import type { Repair } from '../../operate/drill/repair';
import { asking, openCluster } from '../cluster';
import { steps } from '../progress';
import { endOnSignals, isEnding, unlessEnding } from '../signals';
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
    const kubectl = await openCluster(given);
    const report = await unlessEnding(
      drill({
        ...rest,
        kubectl,
        say: steps(terminal, isQuiet),
        isEnding,
        onFault: (repair) => endOnSignals(() => putRight(repair, terminal)),
      }),
    );
    terminal.out(
      format === 'json' ? json(report) : format === 'markdown' ? markdownOf(report) : textOf(report, terminal.colour),
    );
    return report.held ? 0 : 1;
  });
}

/** What a fault left is put right before this program goes, and told. */
async function putRight(repair: Repair, { error }: Terminal): Promise<void> {
  const say = (text: string): void => error(`cdk8s-vllm: ${printable(text)}\n`);
  if (repair.isNeeded) {
    say('puts right what the fault left; wait for it');
  }
  try {
    (await repair.run()).forEach(say);
  } catch (failure) {
    say((failure as Error).message);
  }
}
