import { didYouMean } from '../common/nearest';
import { printable } from '../common/printable';
import { CATALOGUE, type CatalogueEntry } from './catalogue-data';
import { isNear, readConfig } from './config';
import type { ModelShape } from './shape';

const GIBI = 1024 ** 3;

/** Models read already: to read all of them for one name would take longer than a program needs to start. */
const read = new Map<string, ModelShape>();

/** Names of the models of the catalogue: repositories on Hugging Face. */
export function modelNames(): string[] {
  return Object.keys(CATALOGUE);
}

/**
 * Looks up a model of the catalogue.
 * @param name repository on Hugging Face, `organisation/model`
 * @throws when the catalogue does not know it; the message names the nearest one and the way out
 */
export function shapeOf(name: string): ModelShape {
  const known = read.get(name);
  if (known !== undefined) return known;
  const entry = Object.hasOwn(CATALOGUE, name) ? CATALOGUE[name] : undefined;
  if (entry === undefined) {
    const names = modelNames();
    const asked = typeof name === 'string' ? printable(name) : String(name);
    throw new Error(
      `model '${asked}' is not in the catalogue${didYouMean(asked, names)} (docs/models.md lists its ${names.length} models; ` +
        'any other is read from its config.json: Model.fromConfigJson in a program, --config on the command line)',
    );
  }
  const shape = compare(readConfig(name, entry.config(), { gated: entry.gated }), entry);
  read.set(name, shape);
  return shape;
}

/** Compares the size derived from config.json with the one that others publish. */
function compare(shape: ModelShape, { files, copies = 1, headTwice, notes = [] }: CatalogueEntry): ModelShape {
  if (files === undefined) {
    return { ...shape, provenance: { ...shape.provenance, notes: [...notes, ...shape.provenance.notes] } };
  }
  const head = headTwice === true ? (shape.parameters.embedding * shape.weights.otherBits) / 8 : 0;
  const weightsBytes = shape.weightsBytes + head;
  const verified = isNear(weightsBytes * copies, files * GIBI);
  const others = shape.provenance.notes.filter((note) => !note.includes('not compared with'));
  const approximate = shape.provenance.approximate === true && !verified;
  return {
    ...shape,
    weightsBytes,
    provenance: { verified, ...(approximate && { approximate }), notes: [...notes, ...others] },
  };
}
