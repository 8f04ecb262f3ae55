import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Chat, Upstream } from '../chat/harness';
import { cleanUp, DONE, fakeUpstream, PASSWORD, startChat, startEvents, token } from '../chat/harness';
import { measureContrast } from './contrast';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const installed = existsSync(executablePath);
const screenshots = join(__dirname, '../../test-results');

if (!installed) {
  const words = `There is no Chromium at ${executablePath}. Install it or point CHROMIUM_PATH to it.`;
  if (process.env.CI) throw new Error(words);
  console.error(`SKIPPED, the chat page is not checked: ${words}`);
}

/** A page of a user who knows the password, with everything it does that it should not. */
interface Visit {
  readonly page: Page;
  readonly chat: Chat;
  readonly upstream: Upstream;
  readonly complaints: string[];
}

describe.skipIf(!installed)('chat page', () => {
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    browser = await chromium.launch({
      executablePath,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    });
  });

  afterAll(() => browser?.close());

  const visits: Visit[] = [];
  afterEach(async () => {
    for (const { page } of visits) await page.context().close();
    await cleanUp();
    for (const { complaints } of visits.splice(0)) expect(complaints).toEqual([]);
  });

  async function visit(options: BrowserContextOptions = {}, env: Record<string, string> = {}): Promise<Visit> {
    const upstream = await fakeUpstream();
    const chat = await startChat(upstream.url, { MODEL: 'gemma-3-1b-it', ...env });
    const origin = `http://127.0.0.1:${chat.port}`;
    const context = await browser.newContext({
      viewport: { width: 1024, height: 768 },
      httpCredentials: { username: 'reader', password: PASSWORD, origin },
      ...options,
    });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const { protocol, origin: target } = new URL(request.url());
      if (protocol !== 'data:' && target !== origin) complaints.push(`request: ${request.url()}`);
    });
    page.on('console', (message) => {
      // Chromium reports a failed request here as well; tests that provoke one look for the words on the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        complaints.push(`console: ${message.text()}`);
      }
    });
    await page.goto(`${origin}/chat/`);
    const visited = { page, chat, upstream, complaints };
    visits.push(visited);
    return visited;
  }

  async function say(page: Page, message: string): Promise<void> {
    await page.getByLabel('Message').fill(message);
    await page.keyboard.press('Enter');
  }

  async function answer({ page, upstream }: Visit, question: string, markdown: string): Promise<void> {
    await say(page, question);
    const { res } = await upstream.next();
    startEvents(res);
    for (const piece of markdown.match(/.{1,7}/gs) ?? []) res.write(token(piece));
    res.end(token('', 'stop') + DONE);
    await idle(page);
  }

  async function idle(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Send' }).waitFor();
  }

  const log = (page: Page): ReturnType<Page['locator']> => page.getByRole('log');

  it('names the model, shows the answer token by token and sends the conversation along', async () => {
    const { page, upstream } = await visit();
    expect(await page.getByTitle('The model that answers').innerText()).toBe('gemma-3-1b-it');
    expect(await page.title()).toBe('Chat with gemma-3-1b-it');

    await say(page, 'Hello\nthere');
    const first = await upstream.next();
    await page.getByText('Thinking…').waitFor();
    startEvents(first.res);
    // Each token is only sent once the one before is on the page.
    let sofar = '';
    for (const piece of ['One ', 'two ', 'three ']) {
      sofar += piece;
      first.res.write(token(piece));
      // Markdown is understood one character late: a last one may be the start of anything.
      await page.locator('.answer', { hasText: sofar.trim() }).waitFor();
    }
    expect(await page.getByText('Thinking…').count()).toBe(0);
    expect(await log(page).getAttribute('aria-busy')).toBe('true');
    first.res.end(token('', 'stop') + DONE);
    await idle(page);
    expect(await log(page).getAttribute('aria-busy')).toBe('false');
    expect(await page.getByRole('status').innerText()).toBe('The answer is complete.');

    await say(page, 'And then?');
    const second = await upstream.next();
    expect(second.body.messages).toEqual([
      { role: 'user', content: 'Hello\nthere' },
      { role: 'assistant', content: 'One two three ' },
      { role: 'user', content: 'And then?' },
    ]);

    await page.getByRole('button', { name: 'New chat' }).click();
    await second.left;
    expect(await log(page).innerText()).toBe('');
    await say(page, 'Again');
    expect((await upstream.next()).body.messages).toEqual([{ role: 'user', content: 'Again' }]);
  });

  it('sends with Enter, starts a line with Shift+Enter and sends nothing empty', async () => {
    const { page, upstream } = await visit();
    const input = page.getByLabel('Message');
    // The page gives it the focus.
    await page.keyboard.press('Enter');
    await page.keyboard.type('a');
    const height = (await input.boundingBox())?.height ?? 0;
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('b');
    expect(await input.inputValue()).toBe('a\nb');
    expect((await input.boundingBox())?.height).toBeGreaterThan(height);
    await page.keyboard.press('Enter');
    expect((await upstream.next()).body.messages).toEqual([{ role: 'user', content: 'a\nb' }]);
    expect(await input.inputValue()).toBe('');
    expect((await input.boundingBox())?.height).toBe(height);
  });

  it('stops: the request to the model ends, what came is kept and belongs to the conversation', async () => {
    const { page, upstream } = await visit();
    await say(page, 'Count');
    const { res, left } = await upstream.next();
    startEvents(res);
    res.write(token('One, two '));
    await page.getByText('One, two').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await left;
    await page.getByText('Stopped.', { exact: true }).first().waitFor();
    expect(await page.locator('.answer').innerText()).toContain('One, two');
    expect(await page.getByLabel('Message').evaluate((input) => input === document.activeElement)).toBe(true);

    await say(page, 'Go on');
    expect((await upstream.next()).body.messages).toEqual([
      { role: 'user', content: 'Count' },
      { role: 'assistant', content: 'One, two ' },
      { role: 'user', content: 'Go on' },
    ]);
  });

  it('stops before the first token too', async () => {
    const { page, upstream } = await visit();
    await say(page, 'Count');
    const { left } = await upstream.next();
    await page.getByRole('button', { name: 'Stop' }).click();
    await left;
    await idle(page);
  });

  it('says in words that the model is not there, and tries again', async () => {
    const { page, upstream } = await visit();
    await say(page, 'Hello');
    (await upstream.next()).res.writeHead(500).end();
    await page.getByRole('alert').getByText("The model's server failed (500) and is probably restarting.").waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    const { body, res } = await upstream.next();
    // The failed question is not sent twice: the model would see two of one role in a row.
    expect(body.messages).toEqual([{ role: 'user', content: 'Hello' }]);
    startEvents(res);
    res.end(token('Hi there', 'stop') + DONE);
    await page.getByText('Hi there').waitFor();
  });

  it.each([
    [
      'that the model broke off',
      (res: { destroy(): void }) => void res.destroy(),
      'stopped before the answer was complete',
    ],
    [
      'that its engine failed',
      (res: { end(text: string): void }) =>
        res.end('data: {"error":{"message":"EngineDeadError"}}\n\ndata: [DONE]\n\n'),
      "The model's server failed: EngineDeadError.",
    ],
  ])('says in words %s, and keeps what came', async (_, fail, words) => {
    const { page, upstream } = await visit();
    await say(page, 'Hello');
    const { res } = await upstream.next();
    startEvents(res);
    res.write(token('A part '));
    await page.getByText('A part').waitFor();
    fail(res);
    await page.getByRole('alert').getByText(words).waitFor();
    expect(await page.locator('.answer').innerText()).toContain('A part');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect((await upstream.next()).body.messages).toEqual([{ role: 'user', content: 'Hello' }]);
  });

  it('says in words that the connection was lost, and keeps what came', async () => {
    const { page, upstream, chat } = await visit();
    await say(page, 'Hello');
    const { res } = await upstream.next();
    startEvents(res);
    res.write(token('A part '));
    await page.getByText('A part').waitFor();
    chat.process.kill('SIGKILL');
    await page.getByRole('alert').getByText('The connection was lost before the answer was complete.').waitFor();
    expect(await page.locator('.answer').innerText()).toContain('A part');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').getByText('The chat server cannot be reached.').waitFor();
  });

  it('says in words that the message is too long or the answer was cut', async () => {
    const { page, upstream } = await visit({}, { MAX_REQUEST_BYTES: '1024' });
    await say(page, 'x'.repeat(2000));
    await page.getByRole('alert').getByText('larger than 1024 bytes').waitFor();
    await say(page, 'Hello');
    const { res } = await upstream.next();
    startEvents(res);
    res.end(token('Long', 'length') + DONE);
    await page.getByText('The answer is cut off here').waitFor();
  });

  it('renders Markdown', async () => {
    const there = await visit();
    await answer(there, 'Show', SAMPLE);
    const { page } = there;
    const shown = page.locator('.answer .text');
    expect(await shown.locator('strong').first().innerText()).toBe('two pods');
    expect(await shown.locator('h2').innerText()).toBe('How it works');
    expect(await shown.locator('ol li').count()).toBe(2);
    expect(await shown.locator('pre code').innerText()).toContain('kubectl get pods');
    expect(await shown.locator('table td').first().innerText()).toBe('leader');
    expect(await shown.locator('a').getAttribute('href')).toBe('https://docs.vllm.ai/');
    expect(await shown.locator('a').getAttribute('rel')).toBe('noopener noreferrer');
  });

  it('takes what the model writes as text: no script, no foreign link, nothing loaded', async () => {
    const there = await visit();
    await answer(
      there,
      'Attack',
      [
        '<script>document.title = "owned"</script> <img src="https://evil.example/a" onerror="document.title = 1">',
        '[run](javascript:document.title=1) [data](data:text/html,x) [here](/chat/) [case](JaVaScRiPt:alert(1))',
        '[tab](java\tscript:alert(1)) [ctrl](\u0001javascript:alert(1)) [ok](https://ok.example/)',
        '![picture](https://evil.example/pixel.png) ![x](javascript:alert(1)) <javascript:alert(1)>',
      ].join('\n\n'),
    );
    const { page } = there;
    const shown = page.locator('.answer .text');
    expect(await shown.locator('img, script, iframe, style').count()).toBe(0);
    expect(await shown.innerText()).toContain('<script>document.title = "owned"</script>');
    const targets = await shown.locator('a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    expect(targets.filter((target) => target !== null)).toEqual([
      'https://ok.example/',
      'https://evil.example/pixel.png',
    ]);
    expect(await page.title()).toBe('Chat with gemma-3-1b-it');
  });

  it('follows the answer down, unless the reader has scrolled up', async () => {
    const there = await visit();
    const { page, upstream } = there;
    const bottomGap = (): Promise<number> =>
      page.evaluate(() => {
        const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
        return scrollHeight - clientHeight - scrollTop;
      });
    await say(page, 'Long');
    const { res } = await upstream.next();
    startEvents(res);
    res.write(token(`${'A line\n\n'.repeat(60)}first end `));
    await page.getByText('first end').waitFor();
    expect(await bottomGap()).toBeLessThan(2);
    await page.evaluate(() => (document.documentElement.scrollTop = 100));
    res.write(token(`${'\n\nA line'.repeat(20)} second end `));
    await page.getByText('second end').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollTop)).toBe(100);
    res.end(DONE);
    await idle(page);
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([
      ['wide', 1024, 768],
      ['phone', 360, 740],
    ])('is readable, accessible and fits (%s)', async (name, width, height) => {
      const there = await visit({ colorScheme, viewport: { width, height } });
      const { page, upstream } = there;
      await inspect(page, colorScheme);
      await page.screenshot({ path: join(screenshots, `chat-${colorScheme}-${name}-empty.png`) });

      await answer(
        there,
        'How do two nodes share one model? Please explain it like I have never seen Kubernetes.',
        SAMPLE,
      );
      await say(page, `And a_very_long_word_${'x'.repeat(120)}?`);
      const { res } = await upstream.next();
      startEvents(res);
      await page.getByText('Thinking…').waitFor();
      await inspect(page, colorScheme);
      await page.screenshot({ path: join(screenshots, `chat-${colorScheme}-${name}-waiting.png`) });
      res.write(token('Unfinished words '));
      await page.getByText('Unfinished words').waitFor();
      res.destroy();
      await page.getByRole('alert').waitFor();
      await inspect(page, colorScheme);
      await page.screenshot({ path: join(screenshots, `chat-${colorScheme}-${name}-end.png`) });
      await page.evaluate(() => (document.documentElement.scrollTop = 0));
      await page.screenshot({ path: join(screenshots, `chat-${colorScheme}-${name}.png`) });
    });
  });

  async function inspect(page: Page, scheme: 'light' | 'dark'): Promise<void> {
    const texts = await page.evaluate(measureContrast);
    expect(texts.length).toBeGreaterThan(4);
    expect(texts.filter(({ contrast, wanted }) => contrast < wanted)).toEqual([]);
    // Light text on light bubbles would pass a check of the page's background alone: every text has its own.
    for (const { what, background } of texts) {
      if (what.startsWith('Send')) continue;
      if (scheme === 'dark') expect(background, what).toBeLessThan(0.1);
      else expect(background, what).toBeGreaterThan(0.7);
    }

    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(
      0,
    );

    // Evaluated rather than added as a script, which the page's policy rightly refuses.
    await page.evaluate(AXE);
    const violations = await page.evaluate(async () => {
      const axe = (window as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe;
      const results = await axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
      return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect(violations).toEqual([]);
  }
});

interface AxeResults {
  readonly violations: { readonly id: string; readonly nodes: { readonly html: string }[] }[];
}

const AXE = (createRequire(join(__dirname, 'chat.test.ts'))('axe-core') as { source: string }).source;

const SAMPLE = `The model runs in **two pods**, one per node, and each holds *half of the layers*. See [the manual](https://docs.vllm.ai/).

# How it works

1. The **leader** takes the request.
2. The worker computes its \`half\` and sends the result back.

> Both start together and restart together.

\`\`\`bash
kubectl get pods --namespace vllm --selector leaderworkerset.sigs.k8s.io/name=vllm --output wide --watch
\`\`\`

| Pod | Layers | Network |
|-----|--------|---------|
| leader | 0 to 12 | sends 1.37 MB |
| worker | 13 to 25 | sends 0.29 MB |

- [x] deployed
- [ ] measured
`;
