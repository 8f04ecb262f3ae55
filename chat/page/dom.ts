export function find<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  text = '',
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

/** Changes the page and scrolls to its end, but only if the reader was there: who reads further up is left in peace. */
export function followBottom(change: () => void, always = false): void {
  const page = document.documentElement;
  const atBottom = page.scrollHeight - page.clientHeight - page.scrollTop < 40;
  change();
  if (atBottom || always) page.scrollTop = page.scrollHeight;
}
