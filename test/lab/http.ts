import { join } from 'node:path';
import { lab } from './harness/given';
import { runInside } from './harness/kubectl';

const ASK = join(__dirname, 'harness/ask.mjs');

export interface Question {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; without it the question is a GET. */
  readonly body?: unknown;
  readonly seconds?: number;
}

export interface Answer {
  /** 0: none came. */
  readonly status: number;
  readonly text: string;
}

/** Asks from the network of the control plane's machine. */
export async function ask(question: Question): Promise<Answer> {
  const { code, stdout, stderr } = await runInside(lab(), [process.execPath, ASK], JSON.stringify(question));
  if (code !== 0) {
    throw new Error(`${question.url}: ${stderr}`);
  }
  return JSON.parse(stdout) as Answer;
}
