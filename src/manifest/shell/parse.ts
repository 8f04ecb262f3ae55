import { type Arm, type Assignment, type Branch, type Link, type RawWord, ShellError, type Statement } from './syntax';
import { WordReader } from './words';

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/;
const ELEMENT = /^[A-Za-z_][A-Za-z0-9_]*\[/;
/** Commands whose words may be assignments. */
const DECLARES = new Set(['declare', 'typeset', 'local', 'readonly', 'export']);
const COMPARISON = /\s*\$?\{?(\w+)\}?\s*(?:([=!<>]=|[<>])\s*\$?\{?(\w+)\}?\s*)?\)\)/y;
const COMPARES: Readonly<Record<string, string>> = {
  '==': '-eq',
  '!=': '-ne',
  '<': '-lt',
  '<=': '-le',
  '>': '-gt',
  '>=': '-ge',
};
const FUNCTION = /\s*\(\s*\)\s*/y;
const BLANK = /(?:[ \t\r]|\\\r?\n)*/y;
const OPERATOR = /&&|\|\||;;|;&|&>>|&>|<<<|<<-|<<|>>|<&|>&|>\||\|&|[;&|<>()\n]/y;
/** Words that end a list of statements where a command could begin. */
const ENDS = new Set(['then', 'elif', 'else', 'fi', 'do', 'done', 'esac', '}']);
const DEEPEST = 50;

/**
 * Reads a shell script: commands, quotes, pipelines, `&&`, `||`, `if`, `case`, loops, functions, groups and heredocs.
 * @throws ShellError for what is beyond that
 */
export function parseScript(script: string): Statement {
  return new Parser(script).whole();
}

class Parser {
  private readonly reader: WordReader;
  private readonly heredocs: string[] = [];
  private depth = 0;

  public constructor(script: string) {
    this.reader = new WordReader(script);
  }

  public whole(): Statement {
    const list = this.list();
    if (this.reader.at < this.reader.script.length) {
      throw new ShellError(`'${this.keyword() ?? this.operator() ?? '?'}' stands where nothing opened it`);
    }
    return list;
  }

  private list(): Statement {
    if (++this.depth > DEEPEST) {
      throw new ShellError('it is nested too deeply');
    }
    const statements: Statement[] = [];
    for (;;) {
      this.skipSeparators();
      const operator = this.operator();
      const word = this.keyword();
      if (this.isAtEnd() || operator === ')' || operator === ';;' || (word !== undefined && ENDS.has(word))) {
        this.depth--;
        return { kind: 'list', statements };
      }
      statements.push(this.chain());
    }
  }

  private chain(): Statement {
    const first = this.pipeline();
    const rest: Link[] = [];
    for (;;) {
      const operator = this.operator();
      if (operator !== '&&' && operator !== '||') {
        return rest.length === 0 ? first : { kind: 'chain', first, rest };
      }
      this.take(operator);
      this.skipNewlines();
      rest.push({ operator, statement: this.pipeline() });
    }
  }

  private pipeline(): Statement {
    let isNegated = false;
    while (this.keyword() === '!') {
      this.take('!');
      isNegated = !isNegated;
    }
    const parts = [this.command()];
    for (let operator = this.operator(); operator === '|' || operator === '|&'; operator = this.operator()) {
      this.take(operator);
      this.skipNewlines();
      parts.push(this.command());
    }
    return parts.length === 1 && !isNegated ? parts[0]! : { kind: 'pipeline', parts, isNegated };
  }

  private command(): Statement {
    if (this.operator() === '(') {
      this.take('(');
      if (this.reader.script[this.reader.at] === '(') {
        return this.comparison();
      }
      const body = this.list();
      this.take(')');
      this.redirections();
      return { kind: 'group', body, isSubshell: true };
    }
    const compound = this.compound(this.keyword());
    if (compound !== undefined) {
      this.redirections();
      return compound;
    }
    return this.simple();
  }

  /** `((A == 0))`, from its second parenthesis, as the test that it is; `((A))` asks whether it is not 0. */
  private comparison(): Statement {
    COMPARISON.lastIndex = this.reader.at + 1;
    const found = COMPARISON.exec(this.reader.script);
    if (!found) {
      throw new ShellError('it uses ((…))');
    }
    this.reader.at = COMPARISON.lastIndex;
    const [, left = '', operator = '!=', right = '0'] = found;
    const words = ['[', left, COMPARES[operator]!, right, ']'].map((text): RawWord => {
      const isName = /^[A-Za-z_]/.test(text);
      return [isName ? { kind: 'variable', name: text, isQuoted: true } : { kind: 'literal', text, isQuoted: false }];
    });
    return { kind: 'command', assignments: [], words };
  }

  private compound(word: string | undefined): Statement | undefined {
    switch (word) {
      case 'if':
        return this.conditional();
      case 'while':
      case 'until':
      case 'for':
        return this.loop(word);
      case 'case':
        return this.choice();
      case '{': {
        this.take('{');
        const body = this.list();
        this.take('}');
        return { kind: 'group', body, isSubshell: false };
      }
      case 'function': {
        this.take('function');
        this.blanks();
        const name = plain(this.reader.word());
        FUNCTION.lastIndex = this.reader.at;
        this.reader.at += FUNCTION.exec(this.reader.script)?.[0].length ?? 0;
        this.skipNewlines();
        return { kind: 'function', name: name ?? '', body: this.command() };
      }
      case 'select':
      case 'coproc':
        throw new ShellError(`it uses '${word}'`);
      default:
        return undefined;
    }
  }

  private conditional(): Statement {
    const branches: Branch[] = [];
    this.take('if');
    for (;;) {
      const condition = this.list();
      this.take('then');
      branches.push({ condition, body: this.list() });
      if (this.keyword() !== 'elif') {
        break;
      }
      this.take('elif');
    }
    let otherwise: Statement | undefined;
    if (this.keyword() === 'else') {
      this.take('else');
      otherwise = this.list();
    }
    this.take('fi');
    return { kind: 'if', branches, ...(otherwise && { otherwise }) };
  }

  private loop(word: string): Statement {
    this.take(word);
    let condition: Statement | undefined;
    let variable: string | undefined;
    if (word === 'for') {
      this.blanks();
      if (this.operator() === '(') {
        throw new ShellError('it uses for ((…))');
      }
      variable = plain(this.reader.word()) ?? '';
      this.skipNewlines();
      if (this.keyword() === 'in') {
        this.take('in');
        this.words();
      }
      this.skipSeparators();
    } else {
      condition = this.list();
    }
    this.take('do');
    const body = this.list();
    this.take('done');
    return { kind: 'loop', ...(condition && { condition }), ...(variable !== undefined && { variable }), body };
  }

  private choice(): Statement {
    this.take('case');
    this.blanks();
    const word = this.reader.word();
    this.skipNewlines();
    this.take('in');
    const arms: Arm[] = [];
    for (;;) {
      this.skipSeparators();
      if (this.keyword() === 'esac' || this.isAtEnd()) {
        this.take('esac');
        return { kind: 'case', word, arms };
      }
      if (this.operator() === '(') {
        this.take('(');
      }
      const patterns: RawWord[] = [];
      do {
        this.blanks();
        patterns.push(this.reader.word());
      } while (this.tryTake('|'));
      this.take(')');
      arms.push({ patterns, body: this.list() });
      if (!this.tryTake(';;')) {
        this.skipSeparators();
      }
    }
  }

  private simple(): Statement {
    const assignments: Assignment[] = [];
    const words: RawWord[] = [];
    for (;;) {
      this.redirections();
      this.blanks();
      if (this.isAtEnd() || this.operator() !== undefined) {
        break;
      }
      const start = this.reader.at;
      const word = this.reader.word();
      if (this.reader.at === start) {
        throw new ShellError('a word was expected');
      }
      const assignment = assignmentOf(word);
      const isArray = assignment?.value.length === 0 && this.reader.script[this.reader.at] === '(';
      if (assignment !== undefined && (words.length === 0 || (isArray && DECLARES.has(plain(words[0]!) ?? '')))) {
        assignments.push(isArray ? { ...assignment, elements: this.elements() } : assignment);
        continue;
      }
      if (words.length === 0 && word[0]?.kind === 'literal' && !word[0].isQuoted && ELEMENT.test(word[0].text)) {
        throw new ShellError('it sets one element of an array');
      }
      words.push(word);
      const name = words.length === 1 ? plain(word) : undefined;
      FUNCTION.lastIndex = this.reader.at;
      const isFunction = name !== undefined && FUNCTION.test(this.reader.script);
      if (isFunction) {
        this.reader.at = FUNCTION.lastIndex;
        return { kind: 'function', name, body: this.command() };
      }
    }
    if (assignments.length === 0 && words.length === 0) {
      const operator = this.operator();
      // A line of redirections alone is a command as well.
      if (operator !== undefined && operator !== ';' && operator !== '\n' && operator !== '&') {
        throw new ShellError(`'${operator}' stands where a command was expected`);
      }
    }
    return { kind: 'command', assignments, words };
  }

  /** The words of `(a b c)`. */
  private elements(): RawWord[] {
    const words: RawWord[] = [];
    this.take('(');
    for (this.skipNewlines(); !this.tryTake(')'); this.skipNewlines()) {
      const start = this.reader.at;
      const word = this.reader.word();
      if (this.reader.at === start) {
        throw new ShellError('an array has no end');
      }
      if (word[0]?.kind === 'literal' && !word[0].isQuoted && word[0].text.startsWith('[')) {
        throw new ShellError('it names the places of an array');
      }
      words.push(word);
    }
    return words;
  }

  private words(): void {
    for (this.blanks(); !this.isAtEnd() && this.operator() === undefined; this.blanks()) {
      this.reader.word();
    }
  }

  /** Goes over `>file`, `2>&1`, `<<EOF` and the like; what they hold does not change the command. */
  private redirections(): void {
    for (;;) {
      this.blanks();
      const digits = /\d*(?=[<>])/y;
      digits.lastIndex = this.reader.at;
      const start = this.reader.at;
      this.reader.at += digits.exec(this.reader.script)?.[0].length ?? 0;
      const operator = this.operator();
      if (operator === undefined || !/[<>]/.test(operator)) {
        this.reader.at = start;
        return;
      }
      this.take(operator);
      this.blanks();
      if (this.reader.script[this.reader.at] === '(') {
        this.reader.at++;
        this.reader.skipParentheses();
        continue;
      }
      const target = this.reader.word();
      if (operator === '<<' || operator === '<<-') {
        this.heredocs.push(target.map((part) => (part.kind === 'literal' ? part.text : '')).join(''));
      }
    }
  }

  private operator(): string | undefined {
    this.blanks();
    OPERATOR.lastIndex = this.reader.at;
    return OPERATOR.exec(this.reader.script)?.[0];
  }

  /** The plain word that stands here, without taking it. */
  private keyword(): string | undefined {
    this.blanks();
    const plainWord = /[!{}]|[a-z]+/y;
    plainWord.lastIndex = this.reader.at;
    const found = plainWord.exec(this.reader.script)?.[0];
    const next = this.reader.script[this.reader.at + (found?.length ?? 0)];
    return found !== undefined && (next === undefined || /[\s;&|<>()]/.test(next)) ? found : undefined;
  }

  private tryTake(text: string): boolean {
    this.blanks();
    if (!this.reader.script.startsWith(text, this.reader.at)) {
      return false;
    }
    this.reader.at += text.length;
    return true;
  }

  private take(text: string): void {
    if (!this.tryTake(text)) {
      throw new ShellError(`'${text}' is missing`);
    }
  }

  private isAtEnd(): boolean {
    this.blanks();
    return this.reader.at >= this.reader.script.length;
  }

  private blanks(): void {
    BLANK.lastIndex = this.reader.at;
    this.reader.at += BLANK.exec(this.reader.script)?.[0].length ?? 0;
    if (this.reader.script[this.reader.at] === '#') {
      const end = this.reader.script.indexOf('\n', this.reader.at);
      this.reader.at = end < 0 ? this.reader.script.length : end;
    }
  }

  private skipNewlines(): void {
    while (this.operator() === '\n') {
      this.newline();
    }
  }

  private skipSeparators(): void {
    for (let operator = this.operator(); operator === '\n' || operator === ';' || operator === '&';) {
      if (operator === '\n') {
        this.newline();
      } else {
        this.reader.at++;
      }
      operator = this.operator();
    }
  }

  /** Goes over a line's end and the heredocs that begin behind it. */
  private newline(): void {
    this.reader.at++;
    for (const end of this.heredocs.splice(0)) {
      for (;;) {
        const next = this.reader.script.indexOf('\n', this.reader.at);
        const line = this.reader.script.slice(this.reader.at, next < 0 ? undefined : next);
        this.reader.at = next < 0 ? this.reader.script.length : next + 1;
        if (line.replace(/^\t+/, '') === end || next < 0) {
          break;
        }
      }
    }
  }
}

/** The text of a word without quotes and expansions. */
function plain(word: RawWord): string | undefined {
  const [only] = word;
  return word.length === 1 && only?.kind === 'literal' && !only.isQuoted ? only.text : undefined;
}

function assignmentOf(word: RawWord): Assignment | undefined {
  const [first, ...rest] = word;
  const found = first?.kind === 'literal' && !first.isQuoted ? ASSIGNMENT.exec(first.text) : null;
  if (!found || first?.kind !== 'literal') {
    return undefined;
  }
  const text = first.text.slice(found[0].length);
  const value: RawWord = text === '' ? rest : [{ ...first, text }, ...rest];
  return { name: found[1]!, value, isAppended: found[2] === '+' };
}
