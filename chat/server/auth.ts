import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Checks an Authorization header of HTTP Basic for the password; any user name will do.
 * Digests are compared, because timingSafeEqual wants equal lengths and a length tells something too.
 */
export function passwordCheck(password: string): (header: string | undefined) => boolean {
  const expected = digest(Buffer.from(password, 'utf8'));
  return (header) => {
    const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header?.trim() ?? '')?.[1];
    if (encoded === undefined) return false;
    const credentials = Buffer.from(encoded, 'base64');
    // The first colon ends the user name; a password may hold more of them.
    const colon = credentials.indexOf(':');
    return colon >= 0 && timingSafeEqual(digest(credentials.subarray(colon + 1)), expected);
  };
}

function digest(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
