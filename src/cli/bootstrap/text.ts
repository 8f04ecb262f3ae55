import type {
  ApplyReport,
  BootstrapPlan,
  DestroyReport,
  Difference,
  NextStep,
  PlannedItem,
  VerifyReport,
} from '../../bootstrap';
import { labelled, WIDTH, wrap } from '../plan/layout';
import { fold } from './fold';

const MARKS: Readonly<Record<PlannedItem['action'], string>> = {
  create: '+',
  change: '~',
  replace: '!',
  drift: '?',
  failed: 'x',
  wait: '.',
  exists: '=',
};
/** A cluster may have a name of 100 characters. */
const LONGEST_ID = 56;
const LEVELS = { error: 'error', warning: 'warn', note: 'note', ok: 'ok' } as const;
const RESULTS = { good: 'ok', bad: 'BAD', unknown: '?' } as const;

/** The plan as people read it. */
export function planText({ cluster, region, items, checks, canApply }: BootstrapPlan, replace: boolean): string {
  const width = Math.min(LONGEST_ID, Math.max(...items.map(({ id }) => id.length)));
  const lines = items.flatMap((item) => [
    ...itemLines(`  ${MARKS[item.action]} ${item.id}`, actionText(item, replace), width + 4),
    ...item.differences.filter((difference) => item.isOurs || difference.what !== 'tags').flatMap(differenceText),
  ]);
  const found = checks.flatMap(({ level, about, message }) =>
    labelled(`  ${LEVELS[level]}`, `${about}: ${message}`, 9),
  );
  const toDo = items.filter(({ action }) => action === 'create' || action === 'change').length;
  return [
    `Cluster ${cluster} in ${region}`,
    '',
    ...lines,
    ...(found.length === 0 ? [] : ['', 'Before the first change', ...found]),
    '',
    canApply
      ? toDo === 0
        ? 'Nothing to make or change.'
        : `${toDo} to make or change.`
      : 'apply does not begin before the errors are mended.',
    '',
  ].join('\n');
}

/** What would be done stands beside the name, or under a long one. */
function itemLines(name: string, words: string, width: number): string[] {
  const line = `${name.padEnd(width)}  ${words}`;
  return name.length <= width && line.length <= WIDTH ? [line] : [name, `      ${words}`];
}

function actionText({ action, isOurs, status }: PlannedItem, replace: boolean): string {
  const words: Readonly<Record<PlannedItem['action'], string>> = {
    create: 'create',
    change: 'change',
    replace: replace ? 'replace' : 'differs; apply --replace changes it',
    drift: isOurs ? 'differs' : 'differs; not ours, so it stays',
    failed: isOurs ? `${status}; apply --replace makes it again` : `${status}; not ours`,
    wait: `${status}; apply waits`,
    exists: isOurs ? 'exists' : 'exists; not ours, so it stays',
  };
  return words[action];
}

function differenceText({ what, found, wanted, note }: Difference): string[] {
  return [...wrap(`${what}: ${found} -> ${wanted}`, 6, 8), ...(note === undefined ? [] : wrap(note, 8))];
}

/** How an apply, or a tag, ended. */
export function applyText({ steps, succeeded }: ApplyReport): string {
  const failed = steps.flatMap((step) =>
    step.ended === 'failed'
      ? [fold(`  x ${step.message}`)]
      : step.ended === 'not-begun'
        ? [fold(`  . ${step.id}: not begun, it needs ${step.after}`)]
        : [],
  );
  const drift = steps.flatMap((step) =>
    step.ended === 'done' && step.outcome.isOurs
      ? step.outcome.drift.flatMap((difference) => [`  ? ${step.id}`, ...differenceText(difference)])
      : [],
  );
  return [
    ...(drift.length === 0 ? [] : ['', 'It still differs', ...drift]),
    ...(failed.length === 0 ? [] : ['', 'Failed', ...failed]),
    '',
    succeeded ? 'Done.' : 'Not done. When the cause is mended, run it again: it goes on from here.',
    '',
  ].join('\n');
}

/** What the cluster needs next. */
export function nextText(steps: readonly NextStep[]): string {
  const lines = steps.flatMap(({ title, commands }, i) => [
    ...wrap(`${i + 1}. ${title}`, 0, 3),
    '',
    ...commands.map((command) => `     ${command}`),
    ...(commands.length > 0 ? [''] : []),
  ]);
  return ['What comes next', '', ...lines].join('\n');
}

export function verifyText({ cluster, checks, isGood }: VerifyReport): string {
  return [
    `Cluster ${cluster}`,
    '',
    ...checks.flatMap(({ result, about, message }) => labelled(`  ${RESULTS[result]}`, `${about}: ${message}`, 7)),
    '',
    isGood ? 'All as it should be.' : 'Not all is as it should be.',
    '',
  ].join('\n');
}

export function destroyText(report: DestroyReport, confirmed: boolean): string {
  const { cluster, ours, others, blockers, deleted, failed, left } = report;
  const list = (title: string, entries: readonly string[]): string[] =>
    entries.length === 0 ? [] : ['', title, ...entries.map((entry) => fold(`  - ${entry}`))];
  const began = deleted.length + failed.length > 0;
  return [
    `Cluster ${cluster}`,
    ...(began ? list('Deleted', deleted) : list('To delete, in this order', ours)),
    ...list('Not ours, and left alone', others),
    ...list('In the way', blockers),
    ...list(
      'Failed',
      failed.map(({ message }) => message),
    ),
    ...list('Left behind, and not ours to delete', left),
    '',
    ours.length === 0
      ? 'There is nothing of ours.'
      : blockers.length > 0
        ? 'Nothing was deleted.'
        : !confirmed
          ? 'Nothing was deleted; --yes deletes.'
          : failed.length > 0
            ? 'Not done. When the cause is mended, run it again.'
            : 'Done.',
    '',
  ].join('\n');
}
