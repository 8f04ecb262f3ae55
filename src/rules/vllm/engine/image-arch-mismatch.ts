import { CPU_POD, edit } from '../../examples';
import type { Rule } from '../../rule';
import { eachEngine, nodeArchitectures } from './engines';

const check = eachEngine(function* ({ engine, pod }) {
  const { image } = engine;
  const nodes = nodeArchitectures(pod);
  if (image?.architecture !== undefined && nodes !== undefined && !nodes.includes(image.architecture)) {
    yield {
      path: `${engine.path}.image`,
      what: `image ${image.text} is for ${image.architecture}, and the nodes of the pod are ${[...new Set(nodes)].join(' or ')}`,
    };
  }
});

export const imageArchMismatch: Rule = {
  id: 'vllm/image-arch-mismatch',
  severity: 'error',
  title: 'the image is for another instruction set than the nodes',
  why: 'the node cannot run it: every start ends with "exec format error"',
  fix: "take the image with the node's instruction set in its tag, or select other nodes",
  source: 'tags of the CPU images: .buildkite/scripts/publish-release-images.sh of vllm-project/vllm',
  get bad() {
    return edit(CPU_POD, ['kubernetes.io/arch: amd64', 'kubernetes.io/arch: arm64']);
  },
  good: CPU_POD,
  check,
};
