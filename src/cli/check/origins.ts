import { dirname, resolve } from 'node:path';
import type { KubernetesObject } from '../../rules/finding';
import type { Origin } from '../../rules/rule';
import { STDIN } from './files';
import type { ReadObject, SourceFile } from './reader';

/** Where objects were read, as rules ask for it. The line is where the document begins: it costs no second reading. */
export function originsIn(objects: readonly ReadObject[]): (object: KubernetesObject) => Origin | undefined {
  const folders = new Map<SourceFile, string | undefined>();
  let sources: ReadonlyMap<KubernetesObject, ReadObject> | undefined;
  return (object) => {
    sources ??= new Map(objects.map((source) => [source.object, source]));
    const source = sources.get(object);
    if (source === undefined) {
      return undefined;
    }
    const { document, prefix } = source;
    const { file } = document;
    let folder = folders.get(file);
    if (folder === undefined && !folders.has(file)) {
      folder = file.name === STDIN ? undefined : dirname(resolve(file.name));
      folders.set(file, folder);
    }
    return {
      folder,
      get place() {
        return `${file.name}:${document.beginning.line}${prefix === '' ? '' : ` ${prefix}`}`;
      },
    };
  };
}
