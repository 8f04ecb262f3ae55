import { isWorkload, parseImage } from '../../manifest';
import type { Document, ReadObject } from './reader';
import type { UnjudgedObject } from './report';
import { objectOf } from './reported-object';

/** Objects that are named; the others are counted. */
const MOST_OBJECTS = 1000;
/** Kinds that hold texts and schemas of anything, and start nothing. */
const WITHOUT_PODS = new Set(['ConfigMap', 'Secret', 'CustomResourceDefinition']);
/** Where an image is written: `image`, `runnerImage`, and `image.repository` of Helm values. */
const IMAGE_KEY = /^(?:image|repository|\w*Image)$/;

interface Found {
  readonly path: string;
  readonly image: string;
}

/**
 * Objects that name an image of vLLM in a kind that no rule looks into, such as a RayCluster: without a word about them "no
 * findings" would look like a clean bill.
 */
export function unjudgedIn(objects: readonly ReadObject[]): { objects: UnjudgedObject[]; count: number } {
  const named: UnjudgedObject[] = [];
  let count = 0;
  let last: Document | undefined;
  for (const { object, document, prefix } of objects) {
    const isOther = !WITHOUT_PODS.has(object.kind) && !isWorkload(object);
    const found = isOther ? imageIn(object, '') : undefined;
    if (found !== undefined && ++count <= MOST_OBJECTS) {
      const place = document.placeOf(prefix === '' ? found.path.replace(/^\./, '') : prefix + found.path);
      named.push({ ...objectOf(object).object!, file: document.file.name, ...place, image: found.image });
      // The places of one document alone are in memory at a time.
      if (last !== document) {
        last?.forget();
        last = document;
      }
    }
  }
  last?.forget();
  return { objects: named, count };
}

/** The first image of vLLM in a value. The path of what it finds begins behind `value`. */
function imageIn(value: unknown, key: string): Found | undefined {
  if (typeof value === 'string') {
    // No image has a longer name.
    return value.length < 500 && IMAGE_KEY.test(key) && parseImage(value).isVllm
      ? { path: '', image: value }
      : undefined;
  }
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  const isList = Array.isArray(value);
  for (const [name, each] of Object.entries(value)) {
    const found = imageIn(each, isList ? '' : name);
    if (found !== undefined) {
      const step = isList ? `[${name}]` : /^[\w-]+$/.test(name) ? `.${name}` : `['${name}']`;
      return { ...found, path: `${step}${found.path}` };
    }
  }
  return undefined;
}
