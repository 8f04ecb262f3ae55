import type { Default_Renderer, Token } from 'streaming-markdown';
import * as smd from 'streaming-markdown';

export interface MarkdownWriter {
  write(text: string): void;
  end(): void;
}

/**
 * Renders Markdown as it comes, through DOM nodes only: what the model writes is text to the browser, never HTML.
 * Links go to the web and to mail addresses; nothing is loaded, an image becomes a link to it.
 */
export function markdownWriter(root: HTMLElement): MarkdownWriter {
  const renderer = smd.default_renderer(root);
  const safe: Default_Renderer = {
    ...renderer,
    add_token(data, type) {
      renderer.add_token(data, replacement(type));
      const element = data.nodes[data.index];
      // What scrolls sideways must be reachable by keyboard.
      if (type === smd.CODE_FENCE || type === smd.CODE_BLOCK) element?.parentElement?.setAttribute('tabindex', '0');
      if (type === smd.TABLE) element?.setAttribute('tabindex', '0');
      if (type === smd.CHECKBOX) element?.setAttribute('aria-label', 'Task');
    },
    set_attr(data, type, value) {
      if (type === smd.HREF || type === smd.SRC) {
        link(data.nodes[data.index], value);
      } else if (type !== smd.LANG) {
        renderer.set_attr(data, type, value);
      }
    },
  };
  const parser = smd.parser(safe);
  let broken = false;
  // An answer is worth more than its formatting: what the parser cannot take is shown as it came.
  const guarded = (parse: () => void, text: string): void => {
    try {
      if (!broken) parse();
    } catch {
      broken = true;
    }
    if (broken) root.append(text);
  };
  return {
    write: (text) => guarded(() => smd.parser_write(parser, text), text),
    end: () => guarded(() => smd.parser_end(parser), ''),
  };
}

/** The page has the first heading, so an answer's begin with the second. */
function replacement(type: Token): Token {
  switch (type) {
    case smd.IMAGE:
      return smd.LINK;
    case smd.HEADING_1:
      return smd.HEADING_2;
    case smd.HEADING_2:
      return smd.HEADING_3;
    case smd.HEADING_3:
      return smd.HEADING_4;
    case smd.HEADING_4:
      return smd.HEADING_5;
    case smd.HEADING_5:
      return smd.HEADING_6;
    default:
      return type;
  }
}

function link(element: HTMLElement | undefined, target: string): void {
  // Without a base: a relative address in an answer would point into this site.
  if (!element || !URL.canParse(target)) return;
  if (!['http:', 'https:', 'mailto:'].includes(new URL(target).protocol)) return;
  element.setAttribute('href', target);
  element.setAttribute('target', '_blank');
  element.setAttribute('rel', 'noopener noreferrer');
}
