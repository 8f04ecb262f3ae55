/** A part of a word as the script has it. */
export type Part =
  | { readonly kind: 'literal'; readonly text: string; readonly isQuoted: boolean }
  | {
      readonly kind: 'variable';
      readonly name: string;
      /** Of an array: `@`, `*` or a number. */
      readonly index?: string;
      /** `-` in `${X-word}`, `:-` in `${X:-word}`, `#` in `${#X}`; others are not read. */
      readonly operator?: string;
      readonly operand?: RawWord;
      readonly isQuoted: boolean;
    }
  | { readonly kind: 'command'; readonly isQuoted: boolean }
  | { readonly kind: 'arithmetic'; readonly text: RawWord; readonly isQuoted: boolean };

export type RawWord = readonly Part[];

export interface Assignment {
  readonly name: string;
  readonly value: RawWord;
  /** Of an array, `NAME=(…)`: then it has no value. */
  readonly elements?: readonly RawWord[];
  readonly isAppended: boolean;
}

export type Statement =
  | { readonly kind: 'command'; readonly assignments: readonly Assignment[]; readonly words: readonly RawWord[] }
  | { readonly kind: 'pipeline'; readonly parts: readonly Statement[]; readonly isNegated: boolean }
  | { readonly kind: 'chain'; readonly first: Statement; readonly rest: readonly Link[] }
  | { readonly kind: 'list'; readonly statements: readonly Statement[] }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise?: Statement }
  | { readonly kind: 'loop'; readonly condition?: Statement; readonly variable?: string; readonly body: Statement }
  | { readonly kind: 'case'; readonly word: RawWord; readonly arms: readonly Arm[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Statement }
  | { readonly kind: 'group'; readonly body: Statement; readonly isSubshell: boolean };

export interface Link {
  readonly operator: '&&' | '||';
  readonly statement: Statement;
}

export interface Branch {
  readonly condition: Statement;
  readonly body: Statement;
}

export interface Arm {
  readonly patterns: readonly RawWord[];
  readonly body: Statement;
}

/** A script that is beyond what is read here. */
export class ShellError extends Error {}
