import { describe, expect, test } from 'vitest';
import { chatOnce } from '../../../src/operate/server/chat';

const QUESTIONS = { model: 'm', key: undefined, release: '0.32.0', outputTokens: 2 };
const chunk = (choice: object) => `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [choice] })}\n\n`;
const delta = (content: string, more: object = {}) => chunk({ index: 0, delta: { content, ...more } });
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } })}\n\n`;
const END = 'data: [DONE]\n\n';

const seen = async (text: string) =>
  await chatOnce(() => Promise.resolve({ status: 200, text, seconds: 1 }), QUESTIONS, 'Hello', { stream: true });

describe('the parts of a stream', () => {
  test('are those that gave tokens, and not the one that says who speaks', async () => {
    const stream = delta('', { role: 'assistant' }) + delta('a') + delta('b') + USAGE + END;
    expect(await seen(stream)).toMatchObject({ parts: 2, text: 'ab', outputTokens: 2, isDone: true });
  });

  test('count where their tokens have no text', async () => {
    const stream = delta('', { role: 'assistant' }) + delta('') + delta('') + USAGE + END;
    expect(await seen(stream)).toMatchObject({ parts: 2, text: '', outputTokens: 2 });
  });

  test('count where the first one says who speaks, and something', async () => {
    expect(await seen(delta('a', { role: 'assistant' }) + delta('b') + END)).toMatchObject({ parts: 2 });
  });

  test('are those of the completions API as well', async () => {
    expect(await seen(chunk({ index: 0, text: 'a' }) + chunk({ index: 0, text: '' }) + END)).toMatchObject({
      parts: 2,
    });
  });
});
