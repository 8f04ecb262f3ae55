/**
 * Takes a secret out of a text. It looks for the forms in which servers, proxies and frameworks repeat what they were
 * sent: as it is, URL-encoded, escaped for JSON or HTML (each whole or in part, and twice), in base64 or base64url,
 * also in the middle of something longer such as "Bearer <key>".
 */
export function redaction(secret: string | undefined): (text: string) => string {
  if (!secret) return (text) => text;
  const pattern = new RegExp([escaped(secret), ...inBase64(secret)].join('|'), 'g');
  return (text) => text.replace(pattern, '***');
}

const ENTITIES: Readonly<Record<string, string>> = { '"': 'quot', '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt' };

/** Each character of an ASCII text with all its escapes. */
function escaped(text: string): string {
  // Backslashes in a row are one item, because an escape doubles them: item by item there would be too many ways to try.
  return (text.match(/\\+|[^\\]/g) ?? [])
    .map((item) => {
      const { length } = item;
      return item.startsWith('\\') ? `(?:${character('\\')}){${length},${4 * length}}` : character(item);
    })
    .join('');
}

function character(char: string): string {
  const code = char.charCodeAt(0);
  const hex = code
    .toString(16)
    .padStart(2, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const forms = [
    literal(char),
    `%(?:25){0,2}${hex}`,
    `\\\\{1,4}(?:u00|x)${hex}`,
    `&(?:amp;)?#(?:0*${code}|[xX]0*${hex});`,
  ];
  // JSON escapes the quote and may escape the slash; a shell or a log does so with others.
  if (/["'/]/.test(char)) forms.push(`\\\\{1,4}${literal(char)}`);
  const entity = ENTITIES[char];
  if (entity) forms.push(`&(?:amp;)?${entity};`);
  return `(?:${forms.join('|')})`;
}

function literal(char: string): string {
  return /[A-Za-z0-9]/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

/** Base64 looks different by where in a group of three bytes the secret begins, and its ends mix with its neighbours. */
function inBase64(secret: string): string[] {
  const any = '[\\w+/-]?';
  return [0, 1, 2].flatMap((before) => {
    const bits = 8 * (before + secret.length);
    const text = Buffer.from('\0'.repeat(before) + secret).toString('base64');
    const core = text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
    // Of a secret of a few letters so little is left that it would be found in any text.
    if (core.length < 6) return [];
    const chars = [...core].map((char) => {
      if (char === '+') return `(?:-|${character('+')})`;
      if (char === '/') return `(?:_|${character('/')})`;
      return char;
    });
    return [
      (before > 0 ? any : '') + chars.join('') + (bits % 6 > 0 ? any : '') + '(?:=|%3[dD]|\\\\{1,2}u003[dD]){0,2}',
    ];
  });
}
