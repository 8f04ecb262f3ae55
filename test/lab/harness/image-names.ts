import type { KubernetesObject } from '../../../src/manifest/object';
import type { ImageNames } from './shared';

interface Template {
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
}

/** The images that objects ask for, in full as containerd knows them, and the article's. */
export function imageNames(objects: readonly KubernetesObject[]): ImageNames {
  const found = new Set(['vllm/vllm-openai-cpu:v0.31.0-arm64', ...objects.flatMap(imagesIn)].map(fullName));
  const vllm = [...found].filter((name) => name.includes('/vllm-openai-cpu:'));
  const node = [...found].filter((name) => name.includes('/node:'));
  const other = [...found].filter((name) => !vllm.includes(name) && !node.includes(name));
  if (other.length > 0) {
    throw new Error(`the lab has nothing to put in the place of ${other.join(', ')}`);
  }
  return { vllm, node };
}

function imagesIn(object: KubernetesObject): string[] {
  const { template, leaderWorkerTemplate } = (object.spec ?? {}) as {
    readonly template?: Template;
    readonly leaderWorkerTemplate?: { readonly leaderTemplate?: Template; readonly workerTemplate?: Template };
  };
  return [template, leaderWorkerTemplate?.leaderTemplate, leaderWorkerTemplate?.workerTemplate]
    .flatMap((each) => each?.spec?.containers ?? [])
    .flatMap(({ image }) => image ?? []);
}

/** Docker Hub is where a name without a host leads. */
function fullName(name: string): string {
  return name.split('/')[0]!.includes('.') ? name : `docker.io/${name}`;
}
