// Stands in for `vllm serve` in tests of what is around it: ranks that meet, an API with its guard, and steps that cross to the other
// ranks. The real one is started by test/engine/real.
import { Buffer } from 'node:buffer';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';
import process from 'node:process';
import { clearTimeout, setTimeout } from 'node:timers';

const flags = new Map(process.argv.filter((word) => word.startsWith('-')).map((word) => word.split('=')));
const number = (name, fallback) => Number(flags.get(name) ?? fallback);
const { VLLM_API_KEY: key, VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS: stepSeconds } = process.env;
const size = flags.get('--pipeline-parallel-size');
const port = number('--master-port', 29501);
/** Of hidden states, as many as the tiny model has a token. */
const STEP = Buffer.alloc(1200);
const STEPS_ENDPOINTS = ['/v1', '/v2', '/inference', '/cohere'];

if (flags.has('--no-such-flag')) {
  console.error('vllm: error: unrecognized arguments: --no-such-flag');
  process.exit(2);
}
console.log('Initializing a V1 LLM engine');
flags.has('--headless') ? follow() : lead();

/** Rings until the leader is there, says its size, and gives back one byte for each step. */
function follow() {
  const leader = connect(port, flags.get('--master-addr'), () => leader.write(`${size}\n`));
  let got = 0;
  leader.on('data', (part) => {
    if (flags.has('--enforce-eager')) {
      console.error('    assert self.intermediate_tensors is not None\nAssertionError');
      leader.destroy();
      return;
    }
    for (got += part.length; got >= STEP.length; got -= STEP.length) leader.write('.');
  });
  leader.on('error', () => setTimeout(follow, 200));
}

function lead() {
  const workers = [];
  createServer((worker) => {
    worker.on('error', () => worker.destroy());
    worker.once('data', (said) => {
      // Ranks of other sizes wait for ever, and say nothing.
      if (said.toString() === `${size}\n`) workers.push(worker);
      if (workers.length === number('--nnodes', 1) - 1) serve(workers);
    });
  }).listen(port);
  if (number('--nnodes', 1) === 1) serve(workers);
}

function serve(workers) {
  let running = 0;
  let steps = 0;
  const step = async () => {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise((resolve) => {
            if (worker.destroyed) return;
            worker.once('data', resolve);
            worker.write(STEP);
          }),
      ),
    );
    steps += 1;
  };
  /** An engine that waits too long for a step answers what runs with 500, and leaves. */
  const stepOrLeave = async (response) => {
    const late = setTimeout(
      () => {
        console.error('RPC call to execute_model timed out.');
        response.writeHead(500).end('{"error":{"message":"EngineCore encountered an issue."}}', () => process.exit(0));
      },
      1000 * Number(stepSeconds ?? 1e6),
    );
    await step();
    clearTimeout(late);
  };
  const complete = async (response, { max_tokens: tokens, stream, messages }) => {
    running += 1;
    const usage = { prompt_tokens: messages[0].content.length, completion_tokens: tokens };
    for (let i = 0; i < usage.prompt_tokens; i++) await stepOrLeave(response);
    for (let i = 0; i < tokens; i++) {
      await stepOrLeave(response);
      if (tokens > 100) await new Promise((resolve) => setTimeout(resolve, 50));
      if (stream) response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }] })}\n\n`);
    }
    running -= 1;
    const whole = { choices: [{ message: { content: 'x'.repeat(tokens) } }], usage };
    response.end(
      stream ? `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n` : JSON.stringify(whole),
    );
  };
  createHttpServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const path = request.url.split('?')[0];
    if (
      STEPS_ENDPOINTS.some((prefix) => path.startsWith(prefix)) &&
      key &&
      request.headers.authorization !== `Bearer ${key}`
    ) {
      response.writeHead(401).end('{}');
    } else if (path === '/v1/chat/completions') {
      await complete(response, JSON.parse(body));
    } else if (path === '/metrics') {
      response.end(`vllm:num_requests_running{a="b"} ${running}\nvllm:iteration_tokens_total_count{a="b"} ${steps}\n`);
    } else if (path === '/v1/completions') {
      const { prompt, ...rest } = JSON.parse(body);
      await complete(response, { ...rest, messages: [{ content: prompt }] });
    } else if (path === '/load') {
      response.end(JSON.stringify({ server_load: running }));
    } else if (path === '/v1/models') {
      response.end(JSON.stringify({ data: [{ id: process.argv[3] }] }));
    } else {
      response.writeHead(path === '/health' ? 200 : 405).end();
    }
  }).listen(number('--port', 8000), flags.get('--host') ?? '0.0.0.0', () =>
    console.log('Application startup complete'),
  );
}
