import { CPU_POD, edit } from '../examples';
import type { Report, Rule, RuleInput } from '../rule';
import { eachContainer, mayBeShell, type PlacedContainer, type WrittenWord } from './containers';

function* check({ manifests: { workloads } }: RuleInput): Iterable<Report> {
  for (const placed of eachContainer(workloads)) {
    const object = placed.workload.object;
    for (const { path, text } of joined(placed)) {
      const words = text.trim().split(/\s+/);
      yield {
        object,
        path,
        what: `'${short(text)}' is one word, and ${words.length} are meant`,
        fix: `make each of them an entry of its own: ${words
          .slice(0, 4)
          .map((word) => JSON.stringify(word))
          .join(', ')}${words.length > 4 ? ', …' : ''}`,
      };
    }
  }
}

function joined(placed: PlacedContainer): readonly WrittenWord[] {
  const { engine, command, args } = placed;
  const [program] = command;
  // No program has a space and flags in its name.
  const name = program?.text.trim() ?? '';
  if (program !== undefined && (/^(vllm|python3?)\s/.test(name) || /\s--?[A-Za-z]/.test(name))) {
    return [program];
  }
  const isRead = engine !== undefined && engine.command.form !== 'unreadable' && !mayBeShell(placed);
  return isRead
    ? [...command, ...args].filter(
        ({ text, path }) => isSeveral(text.trim()) || (path === engine.command.model?.path && /\S\s+\S/.test(text)),
      )
    : [];
}

/** Whether a word of the engine's command line holds a flag and more, which its parser takes for one unknown word. */
function isSeveral(text: string): boolean {
  const space = text.search(/\s/);
  if (space < 0) {
    return false;
  }
  const more = /\s--[A-Za-z]/.test(text);
  const equals = text.indexOf('=');
  if (!text.startsWith('-')) {
    return more && !isQuoted(text);
  }
  return equals < 0 || equals > space || (more && !isQuoted(text.slice(equals + 1)));
}

/** Whether it is a document or a template, whose spaces are its own. */
function isQuoted(text: string): boolean {
  return /^[[{"']/.test(text);
}

function short(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
}

export const argsSingleString: Rule = {
  id: 'k8s/args-single-string',
  severity: 'error',
  title: 'several words of a command in one entry',
  why: 'no shell splits it, so the program is not found, or takes it for one flag that it does not know',
  fix: 'make each word an entry of its own, or run the line with a shell: command: [sh, -c]',
  source: 'command and args of the Kubernetes API; argparse',
  get bad() {
    return edit(CPU_POD, [
      '            - --max-model-len=8192\n            - --port=8000\n',
      '            - --max-model-len 8192 --port 8000\n',
    ]);
  },
  good: CPU_POD,
  check,
};
