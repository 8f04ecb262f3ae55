import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first program of a name on a path, as a shell finds it. */
export function onPath(name: string, path: string, platform = process.platform): string | undefined {
  const names = platform === 'win32' ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => names.map((each) => join(folder, each)))
    .find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
