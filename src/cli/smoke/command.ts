import { smoke } from '../../operate/smoke/smoke';
import { asking, namesCluster, openCluster } from '../cluster';
import { steps } from '../progress';
import { json, type Terminal } from '../terminal';
import { readOptions, usage } from './options';
import { textOf } from './text';

/** `cdk8s-vllm smoke`: prints the report and gives the exit code: 0 all held, 1 something did not. */
export function smokeCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return asking(args, terminal, async () => {
    const options = readOptions(args);
    if (options.isHelp) {
      terminal.out(usage());
      return 0;
    }
    const { given, url, format, isQuiet, key, ...rest } = options;
    // An address alone is asked alone; with a cluster beside it, its pods and logs are looked at too.
    const asksCluster = url === undefined || namesCluster(given) || key.secret !== undefined;
    const report = await smoke({
      ...rest,
      key,
      ...(url !== undefined && { url }),
      ...(asksCluster && { kubectl: await openCluster(given) }),
      say: steps(terminal, isQuiet),
    });
    terminal.out(format === 'json' ? json(report) : textOf(report, terminal.colour));
    return report.held ? 0 : 1;
  });
}
