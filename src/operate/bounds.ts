import type { EngineContainer, RolePod } from '../manifest';

/** What runs vLLM as a leader. */
export interface Led {
  readonly engine: EngineContainer;
  readonly pod: RolePod;
}

/** Within which time a hang ends, by what the manifest says, and what ends it. */
export interface Bound {
  readonly seconds: number;
  readonly by: string;
}

/** The engine answers its requests with 500 and leaves within seconds; so long a loaded machine may take for that. */
const LEAVING_SECONDS = 20;

/** What ends a step that never comes back: the engine itself, or a liveness probe that asks for progress. */
export function hangBound({ engine, pod }: Led): Bound | undefined {
  const timeout = Number(engine.variable('VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS')?.text.value);
  const probe = engine.livenessProbe;
  const bounds: Bound[] = [];
  if (timeout > 0) {
    bounds.push({ seconds: timeout + LEAVING_SECONDS, by: `VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS=${timeout}` });
  }
  const stall = stallSeconds(probe?.command ?? []);
  if (probe !== undefined && stall !== undefined) {
    const grace = probe.terminationGracePeriodSeconds ?? pod.terminationGracePeriodSeconds;
    const rounds = probe.failureThreshold * Math.max(probe.periodSeconds, probe.timeoutSeconds);
    bounds.push({ seconds: stall + rounds + probe.periodSeconds + grace, by: 'the liveness probe' });
  }
  return bounds.sort((a, b) => a.seconds - b.seconds)[0];
}

/** What ends a start that never comes to its end. */
export function startBound({ engine, pod }: Led): Bound | undefined {
  const probe = engine.startupProbe;
  return (
    probe && {
      seconds:
        probe.patienceSeconds +
        probe.timeoutSeconds +
        (probe.terminationGracePeriodSeconds ?? pod.terminationGracePeriodSeconds),
      by: 'the startup probe',
    }
  );
}

/** Seconds without progress that this library's probe bears: the word behind its port. */
function stallSeconds(command: readonly string[]): number | undefined {
  const [, stall] = command.slice(-4);
  return command.length >= 8 && /vllm:iteration_tokens_total/.test(command.at(-5) ?? '') ? Number(stall) : undefined;
}
