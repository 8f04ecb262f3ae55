import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine } from './engines';

const check = eachEngine(function* ({ engine: { image, path } }) {
  const isMoving = image?.tag === undefined || /^(latest|nightly|main)(-|$)/.test(image.tag);
  if (image?.isVllm === true && isMoving && image.digest === undefined) {
    yield { path: `${path}.image`, what: `image is ${image.text}, which names no release` };
  }
});

export const imageNotPinned: Rule = {
  id: 'vllm/image-not-pinned',
  severity: 'note',
  title: 'an image without a fixed release',
  why: 'another vLLM may start with the next pod: flags come and go between releases, and ranks of two releases do not work together',
  fix: 'name a release, or a digest',
  source: 'imagePullPolicy in the documentation of Kubernetes; the flags of vLLM 0.20.0 to 0.32.0',
  get bad() {
    return edit(CPU_POD, ['v0.31.0-x86_64', 'latest-x86_64']);
  },
  good: CPU_POD,
  check,
};
