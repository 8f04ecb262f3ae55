import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface Place {
  readonly folder: string;
  readonly name: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in the network of the control plane's machine, from where everything in the cluster can be reached. */
export async function runInside(
  place: Place,
  argv: readonly string[],
  input = '',
  env = process.env,
): Promise<Outcome> {
  const network = `--net=/run/netns/${place.name}-control-plane`;
  const child = spawn('nsenter', [network, ...argv], { env });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** The program and what makes it talk to the lab. */
export function kubectlArgv({ folder }: Place): string[] {
  return [join(folder, 'bin/kubectl'), `--kubeconfig=${join(folder, 'keys/admin.kubeconfig')}`];
}

/** What kubectl prints; its complaint is the error. */
export async function kubectl(place: Place, args: readonly string[], input?: string): Promise<string> {
  const { code, stdout, stderr } = await runInside(place, [...kubectlArgv(place), ...args], input);
  if (code !== 0) {
    throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim() || `exit code ${code}`}`);
  }
  return stdout;
}
