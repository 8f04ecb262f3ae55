import type { Message } from './ask';
import { ask, Problem } from './ask';
import { element, find, followBottom } from './dom';
import { markdownWriter } from './markdown';

interface Turn {
  readonly question: string;
  answer: string;
}

const log = find('#log');
const welcome = find('#welcome');
const status = find('#status');
const composer = find<HTMLFormElement>('#composer');
const input = find<HTMLTextAreaElement>('#message');
const sendButton = find<HTMLButtonElement>('#send');
const stopButton = find<HTMLButtonElement>('#stop');

let turns: Turn[] = [];
let running: AbortController | undefined;

/** Only answered questions: templates of some models, Gemma's among them, refuse two messages of one role in a row. */
function history(question: string): Message[] {
  const past = turns
    .filter((turn) => turn.answer !== '')
    .flatMap((turn): Message[] => [
      { role: 'user', content: turn.question },
      { role: 'assistant', content: turn.answer },
    ]);
  return [...past, { role: 'user', content: question }];
}

async function send(question: string): Promise<void> {
  welcome.hidden = true;
  const answer = element('article', 'answer');
  answer.append(element('h2', 'unseen', 'The model'));
  const text = element('div', 'text');
  const waiting = element('p', 'waiting', 'Thinking…');
  answer.append(text, waiting);
  followBottom(() => log.append(questionBubble(question), answer), true);

  const messages = history(question);
  const turn: Turn = { question, answer: '' };
  turns.push(turn);
  const markdown = markdownWriter(text);
  const controller = new AbortController();
  setRunning(controller);
  status.textContent = 'Waiting for the answer.';
  try {
    const reason = await ask(messages, controller.signal, (piece) => {
      turn.answer += piece;
      followBottom(() => {
        waiting.remove();
        markdown.write(piece);
      });
    });
    if (reason === 'length') note(answer, 'The answer is cut off here: it reached the limit of its length.');
    else if (turn.answer === '') note(answer, 'The model gave an empty answer.');
    status.textContent = 'The answer is complete.';
  } catch (error) {
    if (controller.signal.aborted) {
      note(answer, 'Stopped.');
      status.textContent = 'Stopped.';
    } else {
      const words = error instanceof Problem ? error.message : `The page made a mistake: ${String(error)}`;
      problem(answer, words, turn);
      status.textContent = '';
    }
  } finally {
    followBottom(() => {
      waiting.remove();
      markdown.end();
    });
    if (running === controller) setRunning(undefined);
  }
}

function questionBubble(question: string): HTMLElement {
  const bubble = element('article', 'question', question);
  bubble.prepend(element('h2', 'unseen', 'You'));
  return bubble;
}

function note(answer: HTMLElement, words: string): void {
  followBottom(() => answer.append(element('p', 'note', words)));
}

function problem(answer: HTMLElement, words: string, failed: Turn): void {
  const box = element('div', 'problem');
  box.setAttribute('role', 'alert');
  const again = element('button', '', 'Try again');
  again.type = 'button';
  again.addEventListener('click', () => {
    if (running) return;
    again.remove();
    // The new answer takes the place of the one that broke off.
    turns = turns.filter((turn) => turn !== failed);
    input.focus();
    void send(failed.question);
  });
  box.append(element('p', '', words), again);
  followBottom(() => answer.append(box));
}

function setRunning(controller: AbortController | undefined): void {
  // Keyboard users would lose their place with the button that vanishes under them.
  const hadFocus = document.activeElement === sendButton || document.activeElement === stopButton;
  running = controller;
  sendButton.hidden = controller !== undefined;
  stopButton.hidden = controller === undefined;
  // Screen readers hold a busy log back and read the answer as a whole rather than token by token.
  log.setAttribute('aria-busy', String(controller !== undefined));
  if (hadFocus) input.focus();
}

function fitInput(): void {
  input.style.height = 'auto';
  input.style.height = `${input.scrollHeight}px`;
}

composer.addEventListener('submit', (event) => {
  event.preventDefault();
  const question = input.value.trim();
  if (running || question === '') return;
  input.value = '';
  fitInput();
  void send(question);
});

input.addEventListener('input', fitInput);
input.addEventListener('keydown', (event) => {
  // An Enter that picks a word of an input method is not one that sends.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  composer.requestSubmit();
});

stopButton.addEventListener('click', () => running?.abort());

find('#new').addEventListener('click', () => {
  running?.abort();
  setRunning(undefined);
  turns = [];
  log.replaceChildren();
  welcome.hidden = false;
  status.textContent = 'New chat.';
  input.focus();
});

input.focus();
