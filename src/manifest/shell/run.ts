import { Text, type Word } from '../text';
import { type RangeOf, not, test, type Truth } from './condition';
import { Expansion } from './expansion';
import { parseScript } from './parse';
import { ShellError, type Statement } from './syntax';

/** A program that a script starts. */
export interface Started {
  readonly words: readonly Word[];
  /** Variables that the script sets for it. */
  readonly variables: ReadonlyMap<string, Text>;
  /** Why it may not be started at all. */
  readonly maybe?: string;
}

/** What a script runs in. */
export interface ShellSurroundings {
  /** JSON path of the script's text. */
  readonly path: string;
  readonly lookUp: (name: string) => Text | undefined;
  readonly rangeOf: RangeOf;
  /** `$0`, `$1`, … */
  readonly parameters: readonly Word[];
}

const MOST_STEPS = 20_000;
const DEEPEST_CALL = 10;
const MOST_VARIABLES = 500;
const MOST_ELEMENTS = 2_000;
/** Marks of what Kubernetes filled in and the manifest does not give; private characters, which no script holds. */
const OPEN = '\uE000';
const CLOSE = '\uE001';
const MARK = /\uE000(\d+)\uE001/;

/**
 * Goes through a script as a shell would, and gives every program that it starts, in order. Commands are taken to succeed;
 * where a condition is not known, both ways are gone, and what differs between them is not known afterwards.
 * @throws ShellError for a script that is beyond what is read here
 */
export function runScript(script: Text, around: ShellSurroundings): Started[] {
  const holes = script.holes;
  let count = 0;
  if (script.pieces.some((piece) => typeof piece === 'string' && /[\uE000\uE001]/.test(piece))) {
    throw new ShellError('it holds characters for private use');
  }
  const marked = script.pieces
    .map((piece) => (typeof piece === 'string' ? piece : `${OPEN}${count++}${CLOSE}`))
    .join('');
  const shell = new Shell(around, (text) =>
    Text.join(text.split(MARK).map((piece, i) => (i % 2 === 0 ? piece : holes[Number(piece)]!))),
  );
  shell.run(parseScript(marked));
  return shell.started;
}

class Shell {
  public readonly started: Started[] = [];
  private variables = new Map<string, Text>();
  private arrays = new Map<string, readonly Word[]>();
  private exported = new Set<string>();
  private readonly functions = new Map<string, Statement>();
  private readonly expansion: Expansion;
  private hasEnded = false;
  private hasFailed = false;
  private maybe: string | undefined;
  private steps = 0;
  private calls = 0;

  public constructor(
    private readonly around: ShellSurroundings,
    unmark: (text: string) => Text,
  ) {
    const { path, rangeOf, parameters } = around;
    const lookUp = (name: string) => this.lookUp(name);
    const arrayOf = (name: string) => this.arrays.get(name);
    const set = (name: string, text: Text) => this.set(name, text);
    this.expansion = new Expansion({ path, rangeOf, unmark, lookUp, arrayOf, set }, parameters);
  }

  /** Runs a statement; whether it succeeds is known for tests alone. */
  public run(statement: Statement): Truth {
    if (++this.steps > MOST_STEPS) {
      throw new ShellError('it takes too many steps');
    }
    if (this.hasEnded) {
      return undefined;
    }
    switch (statement.kind) {
      case 'list':
        return statement.statements.reduce<Truth>((_, each) => this.run(each), true);
      case 'pipeline': {
        const truth = statement.parts.reduce<Truth>(
          (_, each) => this.inSubshell(statement.parts.length > 1, each),
          true,
        );
        return statement.isNegated ? not(truth) : truth;
      }
      case 'group':
        return this.inSubshell(statement.isSubshell, statement.body);
      case 'chain':
        return this.chain(statement);
      case 'if':
        this.branch(statement.branches, statement.otherwise);
        return undefined;
      case 'loop':
        this.loop(statement);
        return undefined;
      case 'case':
        this.choose(statement);
        return undefined;
      case 'function':
        this.functions.set(statement.name, statement.body);
        return true;
      case 'command':
        return this.command(statement);
    }
  }

  private inSubshell(isSubshell: boolean, body: Statement): Truth {
    if (!isSubshell) {
      return this.run(body);
    }
    // `exit` and `exec` in there end the subshell alone.
    const before = this.snapshot();
    const truth = this.run(body);
    this.restore(before);
    return truth;
  }

  private chain({ first, rest }: Extract<Statement, { kind: 'chain' }>): Truth {
    let truth = this.run(first);
    for (const { operator, statement } of rest) {
      const wanted = operator === '&&';
      if (truth === undefined && isTest(first)) {
        this.uncertain('a condition is not known', [() => void this.run(statement), () => undefined]);
        truth = undefined;
      } else if ((truth ?? true) === wanted) {
        // Commands are taken to succeed.
        truth = this.run(statement);
      } else if (truth === undefined && this.startsSomething(statement)) {
        this.uncertain('it runs only when the command before fails', [() => void this.run(statement), () => undefined]);
      }
    }
    return truth;
  }

  /** Whether running a statement would start a program worth a look; a fallback such as `|| exit 1` is none. */
  private startsSomething(statement: Statement): boolean {
    const text = JSON.stringify(statement);
    return /vllm|ray|exec/.test(text);
  }

  private branch(branches: readonly { condition: Statement; body: Statement }[], otherwise?: Statement): void {
    const [first, ...others] = branches;
    if (first === undefined) {
      if (otherwise) {
        this.run(otherwise);
      }
      return;
    }
    const truth = this.run(first.condition);
    if (truth === true) {
      this.run(first.body);
    } else if (truth === false) {
      this.branch(others, otherwise);
    } else {
      this.uncertain('a condition is not known', [
        () => void this.run(first.body),
        () => this.branch(others, otherwise),
      ]);
    }
  }

  private choose({ word, arms }: Extract<Statement, { kind: 'case' }>): void {
    const text = this.expansion.single(word);
    const rest = [...arms];
    const next = (): void => {
      const arm = rest.shift();
      if (arm === undefined) {
        return;
      }
      const truths = arm.patterns.map((pattern) => matchesPattern(text, this.expansion.single(pattern)));
      if (truths.includes(true)) {
        this.run(arm.body);
      } else if (truths.includes(undefined)) {
        this.uncertain('a condition is not known', [() => void this.run(arm.body), next]);
      } else {
        next();
      }
    };
    next();
  }

  private loop({ condition, variable, body }: Extract<Statement, { kind: 'loop' }>): void {
    if (variable !== undefined) {
      this.set(variable, Text.hole({ why: `a loop sets ${variable}` }));
    }
    const truth = condition && this.run(condition);
    const before = new Map(this.variables);
    const arraysBefore = this.arrays;
    if (truth === true) {
      this.arrays = new Map(this.arrays);
      this.run(body);
    } else {
      this.uncertain('a loop may run it', [() => void this.run(body), () => undefined]);
    }
    for (const [name, text] of this.variables) {
      if (before.get(name) !== text) {
        this.set(name, Text.hole({ why: `a loop sets ${name}` }));
      }
    }
    this.arrays = this.mergedArrays([arraysBefore, this.arrays], 'a loop may add to it');
  }

  /** Goes every way from here, and forgets what differs between them. */
  private uncertain(why: string, ways: readonly (() => void)[]): void {
    const start = this.snapshot();
    const maybe = this.maybe;
    const ends: { variables: Map<string, Text>; arrays: Map<string, readonly Word[]> }[] = [];
    let someEnded = false;
    for (const way of ways) {
      this.restore(start);
      this.maybe = maybe ?? why;
      way();
      if (this.hasFailed) {
        // Commands are taken to succeed, so the way of an error message is not gone.
        this.hasFailed = false;
      } else if (this.hasEnded) {
        someEnded = true;
      } else {
        ends.push({ variables: this.variables, arrays: this.arrays });
      }
    }
    this.hasEnded = ends.length === 0;
    this.maybe = someEnded ? (maybe ?? why) : maybe;
    this.variables = this.merged(
      ends.map(({ variables }) => variables),
      why,
    );
    this.arrays = this.mergedArrays(
      ends.map(({ arrays }) => arrays),
      why,
    );
  }

  /** What all ends agree on; the rest is not known. */
  private merged(ends: readonly ReadonlyMap<string, Text>[], why: string): Map<string, Text> {
    const all = new Map<string, Text>();
    for (const name of new Set(ends.flatMap((end) => [...end.keys()]))) {
      const texts = ends.map((end) => end.get(name) ?? this.around.lookUp(name));
      const [first] = texts;
      const isSame = texts.every(
        (text) => text === first || (text?.value !== undefined && text.value === first?.value),
      );
      all.set(name, isSame && first ? first : Text.hole({ why }));
    }
    return all;
  }

  /** What all ends begin with; behind it there may be anything. */
  private mergedArrays(ends: readonly ReadonlyMap<string, readonly Word[]>[], why: string) {
    const all = new Map<string, readonly Word[]>();
    for (const name of new Set(ends.flatMap((end) => [...end.keys()]))) {
      const [first = [], ...others] = ends.map((end) => end.get(name) ?? []);
      const isSame = (i: number) => others.every((other) => other[i]?.text === first[i]?.text);
      const differs = first.findIndex((_, i) => !isSame(i));
      const isWhole = differs < 0 && others.every(({ length }) => length === first.length);
      const common = first.slice(0, differs < 0 ? undefined : differs);
      all.set(name, isWhole ? first : [...common, this.unknownWords(why)]);
    }
    return all;
  }

  /** Any number of words, in an array. */
  private unknownWords(why: string): Word {
    return { text: Text.hole({ why }), path: this.around.path, maySplit: why };
  }

  private set(name: string, text: Text): void {
    if (this.variables.size > MOST_VARIABLES) {
      throw new ShellError('it sets too many variables');
    }
    const [first, ...rest] = this.arrays.get(name) ?? [];
    if (first === undefined) {
      this.variables.set(name, text);
    } else {
      // The name alone is the first element.
      this.arrays.set(name, [{ text, path: this.around.path }, ...rest]);
    }
  }

  private setArray(name: string, words: readonly Word[]): void {
    if (this.arrays.size > MOST_VARIABLES || words.length > MOST_ELEMENTS) {
      throw new ShellError('its arrays are too large');
    }
    this.variables.delete(name);
    this.arrays.set(name, words);
  }

  private snapshot() {
    return {
      variables: new Map(this.variables),
      arrays: new Map(this.arrays),
      exported: new Set(this.exported),
      hasEnded: this.hasEnded,
    };
  }

  private restore(state: ReturnType<Shell['snapshot']>): void {
    this.variables = new Map(state.variables);
    this.arrays = new Map(state.arrays);
    this.exported = new Set(state.exported);
    this.hasEnded = state.hasEnded;
  }

  private command({ assignments, words: raw }: Extract<Statement, { kind: 'command' }>): Truth {
    const words = raw.flatMap((word) => this.expansion.fields(word));
    for (const { name, elements, isAppended } of assignments) {
      if (elements !== undefined) {
        const added = elements.flatMap((element) => this.expansion.fields(element));
        this.setArray(name, isAppended ? [...(this.arrays.get(name) ?? []), ...added] : added);
      }
    }
    const scalars = assignments.filter(({ elements }) => elements === undefined);
    const set = scalars.map(({ name, value, isAppended }): [string, Text] => {
      const text = this.expansion.single(value);
      return [name, isAppended ? Text.join([this.lookUp(name) ?? Text.EMPTY, text]) : text];
    });
    const [name, ...rest] = words;
    if (name === undefined) {
      for (const [variable, text] of set) {
        this.set(variable, text);
      }
      return true;
    }
    return this.builtin(name.text.value ?? '', rest) ?? this.start(words, new Map(set));
  }

  /** What the shell does by itself; nothing for a program. */
  private builtin(name: string, rest: readonly Word[]): Truth | undefined {
    const values = rest.map(({ text }) => text);
    switch (name) {
      case 'true':
      case ':':
        return true;
      case 'false':
        return false;
      case 'exit':
      case 'return':
        this.hasEnded = true;
        this.hasFailed = /^[1-9]/.test(values[0]?.value ?? '');
        return undefined;
      case 'export':
      case 'declare':
      case 'typeset':
      case 'local':
      case 'readonly':
        this.declare(name, values);
        return true;
      case 'unset':
        for (const text of values) {
          if (!this.arrays.delete(text.value ?? '')) {
            this.set(text.value ?? '', Text.EMPTY);
          }
        }
        return true;
      case 'read':
      case 'getopts':
      case 'mapfile':
      case 'readarray':
        for (const text of values.filter(({ start }) => !start.startsWith('-'))) {
          this.set(text.value ?? '', Text.hole({ why: `'${name}' sets it` }));
          this.setArray(text.value ?? '', [this.unknownWords(`'${name}' sets it`)]);
        }
        return undefined;
      case 'shift':
        this.expansion.parameters = [
          ...this.expansion.parameters.slice(0, 1),
          ...this.expansion.parameters.slice(1 + Number(values[0]?.value ?? 1)),
        ];
        return true;
      case 'set':
        if (values[0]?.value === '--') {
          this.expansion.parameters = [...this.expansion.parameters.slice(0, 1), ...rest.slice(1)];
        }
        return true;
      case 'test':
        return test(rest, this.around.rangeOf);
      case '[':
      case '[[':
        return rest.at(-1)?.text.value === (name === '[' ? ']' : ']]')
          ? test(rest.slice(0, -1), this.around.rangeOf)
          : undefined;
      default:
        return undefined;
    }
  }

  private declare(name: string, values: readonly Text[]): void {
    for (const text of values) {
      const found = /^([A-Za-z_][A-Za-z0-9_]*)(=?)/.exec(text.start);
      if (found?.[2] === '=') {
        this.set(found[1]!, text.after(found[0].length));
      }
      if (found && name === 'export') {
        this.exported.add(found[1]!);
      }
    }
  }

  private start(words: readonly Word[], own: ReadonlyMap<string, Text>): Truth {
    const called = this.functions.get(words[0]!.text.value ?? '');
    if (called !== undefined) {
      if (++this.calls > DEEPEST_CALL) {
        throw new ShellError('its functions call one another too deeply');
      }
      const parameters = this.expansion.parameters;
      this.expansion.parameters = words;
      this.run(called);
      this.expansion.parameters = parameters;
      this.calls--;
      return undefined;
    }
    if (BUILTINS.has(words[0]!.text.value ?? '')) {
      return undefined;
    }
    const variables = new Map([...this.exported].flatMap((name) => [[name, this.variables.get(name)] as const]));
    const given = new Map<string, Text>();
    for (const [name, text] of [...variables, ...own]) {
      if (text !== undefined) {
        given.set(name, text);
      }
    }
    // A variable of the container that the script sets anew goes to its programs without `export`.
    for (const [name, text] of this.variables) {
      if (!given.has(name) && this.around.lookUp(name) !== undefined) {
        given.set(name, text);
      }
    }
    this.started.push({ words, variables: given, ...(this.maybe !== undefined && { maybe: this.maybe }) });
    const isExec = words[0]!.text.value === 'exec';
    this.hasEnded ||= isExec && words.length > 1;
    return undefined;
  }

  private lookUp(name: string): Text | undefined {
    return this.variables.get(name) ?? this.arrays.get(name)?.[0]?.text ?? this.around.lookUp(name);
  }
}

/** Commands of the shell that neither start anything nor change what is read here. */
const BUILTINS = new Set([
  ...['echo', 'printf', 'sleep', 'cd', 'trap', 'ulimit', 'umask', 'wait', 'source', '.', 'break', 'continue', 'pwd'],
  ...['exit', 'return', 'read', 'getopts', 'mapfile', 'readarray', 'test', '[', '[['],
]);

function isTest(statement: Statement): boolean {
  const first = statement.kind === 'command' ? statement.words[0]?.[0] : undefined;
  return first?.kind === 'literal' && ['[', '[[', 'test'].includes(first.text);
}

function matchesPattern(text: Text, pattern: Text): Truth {
  if (pattern.value === '*') {
    return true;
  }
  if (pattern.value === undefined || /[*?[]/.test(pattern.value)) {
    return undefined;
  }
  return text.value === undefined ? undefined : text.value === pattern.value;
}
