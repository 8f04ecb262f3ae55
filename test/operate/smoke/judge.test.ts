import { expect, test } from 'vitest';
import { judgeSmoke, type SmokeSeen } from '../../../src/operate/smoke/judge';

const MODEL = 'google/gemma-3-1b-it';
const CHAT = {
  status: 200,
  seconds: 1,
  text: 'Since',
  promptTokens: 18,
  cachedTokens: 0,
  outputTokens: 32,
  totalTokens: 50,
  parts: 0,
  model: MODEL,
  finishReason: 'length',
};
const STREAM = { ...CHAT, parts: 32, isDone: true };
const SEEN: SmokeSeen = {
  health: 200,
  models: { status: 200, names: [MODEL], text: '' },
  chat: CHAT,
  stream: STREAM,
  api: 'chat',
  guarded: [{ path: '/v1/models', without: 401, wrong: 401, right: 200 }],
  later: { health: 200, changes: [] },
};

function not(seen: Partial<SmokeSeen>, hasKey = true): string[] {
  return judgeSmoke({ ...SEEN, ...seen }, { model: MODEL, outputTokens: 32, hasKey }).flatMap(({ id, held, said }) =>
    held === 'yes' ? [] : [`${id} ${held}: ${said}`],
  );
}

test('all of it holds for a sound server', () => {
  expect(not({})).toEqual([]);
  // A model may end before it has to, and a short answer may be one part.
  expect(not({ chat: { ...CHAT, outputTokens: 1, totalTokens: 19, finishReason: 'stop' } })).toEqual([]);
  expect(not({ stream: { ...STREAM, outputTokens: 1, totalTokens: 19, parts: 1, finishReason: 'stop' } })).toEqual([]);
});

test.each<[string, Partial<SmokeSeen>, string[]]>([
  [
    'an engine that dies of the first request',
    { chat: { ...CHAT, status: 500, text: 'EngineCore encountered an issue' }, stream: undefined },
    ['chat no: 500: EngineCore encountered an issue', 'stream unproven: not asked any more'],
  ],
  [
    'no answer',
    { chat: { ...CHAT, status: 0, text: 'no whole answer within 120 s' } },
    ['chat no: not answered: no whole answer within 120 s'],
  ],
  [
    'another model',
    { chat: { ...CHAT, model: 'llama' } },
    [`chat no: it says that llama answered, asked was ${MODEL}`],
  ],
  [
    'a name that is not served',
    { models: { status: 200, names: ['gemma'], text: '' } },
    [`model no: it serves gemma, and ${MODEL} is expected`],
  ],
  [
    'an end that is none',
    { chat: { ...CHAT, finishReason: 'abort' } },
    ["chat no: it ended by 'abort' after 32 of at most 32 tokens"],
  ],
  [
    'cut short, and not said so',
    { chat: { ...CHAT, outputTokens: 20, totalTokens: 38 } },
    ["chat no: it ended by 'length' after 20 of at most 32 tokens"],
  ],
  [
    'usage that does not add up',
    { chat: { ...CHAT, totalTokens: 49 } },
    ['chat no: its usage makes no sense: 18 tokens in, 32 out, 49 in all'],
  ],
  [
    'no usage',
    { chat: { ...CHAT, promptTokens: 0, outputTokens: 0, totalTokens: undefined, finishReason: 'stop' } },
    ['chat no: its usage makes no sense: 0 tokens in, 0 out, nothing in all'],
  ],
  [
    'a stream that is held back',
    { stream: { ...STREAM, parts: 1 } },
    ['stream no: 32 tokens came in 1 part: something on the way holds streams back'],
  ],
  [
    'a stream that breaks off',
    { stream: { ...STREAM, isDone: false } },
    ['stream no: the stream broke off before [DONE]'],
  ],
  [
    'an error within a stream',
    { stream: { ...STREAM, error: '{"message":"EngineDeadError"}' } },
    ['stream no: 200: {"message":"EngineDeadError"}'],
  ],
  [
    'a key that opens nothing',
    { models: { status: 401, names: [], text: '{"error":"Unauthorized"}' } },
    [
      'model no: /v1/models is 401: {"error":"Unauthorized"}',
      'key no: the server refuses the key; a Secret that was changed is read when the pods start',
    ],
  ],
  [
    'a server that takes any key',
    { guarded: [{ path: '/v1/models', without: 401, wrong: 200, right: 200 }] },
    ['key no: /v1/models: 401 without, 200 with a wrong one, 200 with it'],
  ],
  [
    'a leader that leaves afterwards',
    { later: { health: 0, changes: ['vllm-gemma-0 is gone'] } },
    ['alive no: /health is not answered; vllm-gemma-0 is gone'],
  ],
  ['a server that is not well', { health: 503 }, ['health no: /health is 503']],
])('%s', (_, seen, said) => {
  expect(not(seen)).toEqual(said);
});

test('without a key that is said, and fails nothing', () => {
  expect(not({ guarded: undefined }, false)).toEqual([
    'key unproven: no API key is set: whoever reaches the server may use it',
  ]);
});
