import type { Probe } from '../../../manifest';
import { pause } from '../../pause';
import type { Stage } from '../stage';

/** Something that the kubelet would have done. */
export interface KubeletEvent {
  readonly seconds: number;
  readonly what: string;
}

/**
 * Runs the probes of the leader as the kubelet does: the startup probe first, then readiness and liveness, each with its
 * period, time and threshold; and ends the container when startup or liveness fails. It restarts nothing: what happens then
 * is the business of LeaderWorkerSet.
 */
export class Kubelet {
  public readonly events: KubeletEvent[] = [];
  /** Whether the pod counts as ready; nothing without a readiness probe. */
  public isReady: boolean | undefined;
  private isOver = false;
  private readonly started = performance.now();

  public constructor(private readonly stage: Stage) {}

  /** From the start of the container on. Returns at once. */
  public watch(): void {
    const { startupProbe, readinessProbe, livenessProbe } = this.engine;
    void (async () => {
      if (startupProbe !== undefined && !(await this.run('startup', startupProbe, true))) {
        return;
      }
      if (readinessProbe !== undefined) {
        void this.run('readiness', readinessProbe, false);
      }
      if (livenessProbe !== undefined) {
        void this.run('liveness', livenessProbe, false);
      }
    })().catch(() => undefined);
  }

  public stop(): void {
    this.isOver = true;
  }

  private get engine() {
    return this.stage.prepared.rehearsed.leader.engine;
  }

  /** Until it has succeeded, where that is all that is wanted; else until the end. */
  private async run(name: string, probe: Probe, isOnce: boolean): Promise<boolean> {
    await pause(probe.initialDelaySeconds);
    for (let failures = 0; !this.isOver;) {
      const started = performance.now();
      const why = await this.probe(probe);
      if (this.isOver) {
        return false;
      }
      failures = why === undefined ? 0 : failures + 1;
      if (why === undefined && isOnce) {
        return true;
      }
      const isBad = failures >= probe.failureThreshold;
      if (name === 'readiness') {
        this.isReady = isBad ? false : why === undefined ? true : this.isReady;
      } else if (isBad) {
        this.say(`${name} failed ${failures} times: ${why}`);
        await this.kill(probe.terminationGracePeriodSeconds);
        return false;
      }
      await pause(Math.max(0, probe.periodSeconds - (performance.now() - started) / 1000));
    }
    return false;
  }

  /** Why it fails; nothing when it does not. */
  private async probe({ kind, httpPath = '/', command, timeoutSeconds, ...probe }: Probe): Promise<string | undefined> {
    const { port, rehearsed, key } = this.stage.prepared;
    const written = rehearsed.leader.settings.port.value ?? port;
    if (kind === 'exec') {
      const words = command.map((word) => this.hereOf(word, String(written)));
      const { code, output } = await this.stage.ranks.exec(0, words, timeoutSeconds);
      return code === 0 ? undefined : `${code === undefined ? 'no end in time' : `exit code ${code}`} ${output}`.trim();
    }
    // Other ports are those of containers that are not started here.
    if ((kind !== 'http' && kind !== 'tcp') || (probe.port !== undefined && probe.port !== written)) {
      return undefined;
    }
    const hasKey = key !== undefined && probe.headers.some((name) => name.toLowerCase() === 'authorization');
    const { status, text } = await this.stage.ask({ path: httpPath, seconds: timeoutSeconds, ...(hasKey && { key }) });
    if (status === 0) {
      return text;
    }
    return kind === 'tcp' || (status >= 200 && status < 400) ? undefined : `${httpPath} answers ${status}`;
  }

  /** A word of a probe where ranks share this machine's ports and files: those of others stay theirs, and nothing stays behind. */
  private hereOf(word: string, port: string): string {
    const { isolation, folder, port: here } = this.stage.prepared;
    if (isolation.kind === 'isolated') {
      return word;
    }
    return word === port ? String(here) : word.replace(/^\/dev\/shm\/(?=[\w.-]+$)/, `${folder}/`);
  }

  private async kill(grace = this.stage.prepared.rehearsed.leader.pod.terminationGracePeriodSeconds): Promise<void> {
    this.say(`SIGTERM to the leader, with ${grace} s to end`);
    await this.stage.ranks.signal(0, 'SIGTERM', 'main');
    for (let waited = 0; waited < grace && !this.stage.ended().includes(0); waited += 0.25) {
      await pause(0.25);
    }
    if (!this.stage.ended().includes(0)) {
      this.say('SIGKILL to the leader');
    }
    // With its first process a container loses all others.
    await this.stage.ranks.signal(0, 'SIGKILL', 'all');
  }

  private say(what: string): void {
    this.events.push({ seconds: (performance.now() - this.started) / 1000, what });
  }
}
