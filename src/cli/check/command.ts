import { wrap } from '../plan/layout';
import { type Terminal, WrongInput } from '../terminal';
import { githubOf } from './github';
import { jsonOf } from './json';
import { FACTS, judge, type RuleFacts } from './judge';
import { tellProgram } from '../flags';
import { type FailOn, type Options, readOptions, usage } from './options';
import { chunksOf } from './pieces';
import type { Report } from './report';
import { sarifOf } from './sarif';
import { textOf } from './text';

/** `cdk8s-vllm check`: prints what is found and gives the exit code: 0 clean, 1 findings, 2 something could not be read. */
export function check(args: readonly string[], terminal: Terminal): number {
  try {
    const options = readOptions(args);
    switch (options.action) {
      case 'help':
        terminal.out(usage());
        return 0;
      case 'list-rules':
        terminal.out(list());
        return 0;
      case 'explain':
        terminal.out(explained(options.explain!));
        return 0;
      case 'check':
        return answer(options, terminal);
    }
  } catch (error) {
    tellProgram(error, args, terminal);
    throw error;
  }
}

function answer(options: Options, terminal: Terminal): number {
  const report = judge(options.files, options.target, options.isWanted);
  // Nothing at all is most often a pipe whose beginning failed, and must not look like a clean bill.
  if (report.counts.objects === 0 && report.unread.length === 0) {
    const names = options.files.map((file) => (file === '-' ? 'the standard input' : file));
    throw new WrongInput(
      report.counts.documents === 0 && options.files.every((file) => file === '-')
        ? 'the standard input is empty; it takes manifests: see whether the command in front of the pipe failed'
        : `there is no Kubernetes object in ${names.join(', ')}; it takes YAML or JSON with apiVersion and kind`,
    );
  }
  for (const chunk of chunksOf(printed(report, options, terminal.colour))) {
    terminal.out(chunk);
  }
  return report.unread.length > 0 ? 2 : fails(report, options.failOn) ? 1 : 0;
}

function printed(report: Report, { format, isQuiet }: Options, colour: boolean): Iterable<string> {
  switch (format) {
    case 'json':
      return jsonOf(report);
    case 'sarif':
      return sarifOf(report);
    case 'github':
      return githubOf(report, isQuiet);
    case 'text':
      return textOf(report, { isQuiet, colour });
  }
}

function fails({ counts: { errors, warnings } }: Report, failOn: FailOn): boolean {
  return failOn !== 'never' && (errors > 0 || (failOn === 'warning' && warnings > 0));
}

function list(): string {
  const rules = [...FACTS.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const width = Math.max(...rules.map(({ id }) => id.length));
  return rules.map(({ id, severity, title }) => `${id.padEnd(width)}  ${severity.padEnd(7)}  ${title}\n`).join('');
}

function explained({ id, severity, title, why, fix, holds, source, bad, good }: RuleFacts): string {
  const example = (name: string, text: string | undefined): string[] =>
    text === undefined
      ? []
      : [
          '',
          `${name}:`,
          ...text
            .trimEnd()
            .split('\n')
            .map((line) => `  ${line}`.trimEnd()),
        ];
  return [
    `${id} (${severity})`,
    ...wrap(title, 2),
    ...wrap(`why: ${why}`, 2, 7),
    ...wrap(`fix: ${fix}`, 2, 7),
    ...(holds === undefined ? [] : wrap(`holds for: ${holds}`, 2, 7)),
    ...wrap(`source: ${source}`, 2, 7),
    ...example('bad', bad),
    ...example('good', good),
    '',
  ].join('\n');
}
