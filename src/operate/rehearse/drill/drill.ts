import { CannotRehearse } from '../cannot';
import { prepare, type Wanted } from '../prepare';
import { Stage } from '../stage';
import { DidNotComeUp, faultsOf, runFault } from './faults';
import type { DrillReport, Fault, FaultReport } from './report';

/** How a drill is run. */
export interface Drilling {
  readonly supervisor: string;
  readonly timeout: number;
  readonly faults: readonly Fault[];
  /** Called before and after each fault. */
  readonly progress: (fault: Fault, report?: FaultReport) => void;
  /** Registers what ends everything at once, for signals. */
  readonly onOpen?: (end: () => Promise<void>) => void;
}

function asBreakage(error: unknown): DidNotComeUp {
  if (error instanceof DidNotComeUp) {
    return error;
  }
  throw error;
}

/** Breaks a group, fault by fault; each begins with a group of its own, and with nothing left of the one before. */
export async function drill(wanted: Wanted, drilling: Drilling): Promise<DrillReport> {
  const reports: FaultReport[] = [];
  let about: Pick<DrillReport, 'group' | 'vllm' | 'isolation'> | undefined;
  for (const fault of drilling.faults) {
    const prepared = await prepare(wanted);
    const { kind, name, namespace, size = 1 } = prepared.rehearsed.group;
    about = { group: { kind, name, namespace, size }, vllm: prepared.vllm.version, isolation: prepared.isolation.kind };
    const stage = await Stage.open(prepared, drilling.supervisor);
    drilling.onOpen?.(() => stage.close());
    try {
      if (faultsOf(prepared, [fault]).length > 0) {
        drilling.progress(fault);
        const report = await runFault(stage, fault, drilling.timeout).catch(asBreakage);
        if (report instanceof DidNotComeUp) {
          // The next one would not come up either.
          return { ...about, faults: reports, breakage: report.breakage, held: false };
        }
        reports.push(report);
        drilling.progress(fault, report);
      }
    } finally {
      await stage.close();
    }
  }
  if (about === undefined || reports.length === 0) {
    throw new CannotRehearse('none of these faults is possible here: they take a group of several ranks');
  }
  return { ...about, faults: reports, held: reports.every(({ held }) => held !== 'no') };
}
