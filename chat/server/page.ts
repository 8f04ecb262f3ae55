import { createHash } from 'node:crypto';
import { markup, script, style } from 'chat:page';

export interface Page {
  readonly html: Buffer;
  readonly contentSecurityPolicy: string;
}

export function renderPage(model: string): Page {
  // The name first, so that it is put into nothing but the markup. Functions, because "$&" in a text would be expanded.
  const html = markup
    .replaceAll('{{model}}', () => escapeHtml(model))
    .replace('></style>', () => `>${style}</style>`)
    .replace('></script>', () => `>${script}</script>`);
  return {
    html: Buffer.from(html),
    // Hashes of exactly what is inlined: text that gets into the page in any other way does not run.
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src ${hash(script)}`,
      `style-src ${hash(style)}`,
      "connect-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
  };
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
