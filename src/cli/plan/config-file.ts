import { basename, dirname, resolve } from 'node:path';
import { readUpTo, reasonOf } from '../read-up-to';
import { WrongInput } from '../terminal';

/** A large config.json has a hundred KiB; what is far larger is another file, and is not read to its end. */
const MOST_BYTES = 16 * 1024 * 1024;

/** What stands in a model's config.json. `-` is the standard input. */
export function readConfigFile(path: string): unknown {
  const name = path === '-' ? 'the config.json on the standard input' : `'${path}'`;
  const text = textOf(path, name);
  if (text.trim() === '') {
    throw new WrongInput(`${name} is empty; it takes the config.json of a model`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new WrongInput(`${name} is no JSON: ${(error as Error).message.slice(0, 120)}`);
  }
}

/** What to call a model that only its config.json is known of: by what that says itself, or by where it lies. */
export function nameByConfig(path: string, config: unknown): string {
  const own = (config as { _name_or_path?: unknown } | null)?._name_or_path;
  if (typeof own === 'string' && /^[\w./@+-]{1,200}$/.test(own)) {
    return own;
  }
  if (path === '-') {
    return 'model';
  }
  const file = basename(path);
  const folder = basename(dirname(resolve(path)));
  return file === 'config.json' && folder !== '' ? folder : file.replace(/\.json$/, '') || file;
}

function textOf(path: string, name: string): string {
  let content: Buffer;
  try {
    content = readUpTo(path, MOST_BYTES + 1);
  } catch (error) {
    throw new WrongInput(`${name} cannot be read: ${reasonOf(error, 'it is a folder; name the config.json in it')}`);
  }
  if (content.length > MOST_BYTES) {
    throw new WrongInput(`${name} has more than 16 MiB; a config.json has some KiB, so this is another file`);
  }
  const [first, second, third] = content;
  if (
    (first === 0xef && second === 0xbb && third === 0xbf) ||
    (first === 0xff && second === 0xfe) ||
    (first === 0xfe && second === 0xff)
  ) {
    throw new WrongInput(
      `${name} begins with a byte order mark, which vLLM cannot read either; save it as UTF-8 without one`,
    );
  }
  return content.toString('utf8');
}
