import { dig, listOf } from '../../manifest/json';
import type { KubernetesObject } from '../finding';

/** The pod templates of a LeaderWorkerSet. */
export const TEMPLATES = ['leaderTemplate', 'workerTemplate'];

/** The containers of a LeaderWorkerSet's pods as they are written, each with its JSON path. */
export function* containersOf(lws: KubernetesObject): Iterable<{ path: string; index: number; container: unknown }> {
  for (const template of TEMPLATES) {
    for (const kind of ['initContainers', 'containers']) {
      const path = ['spec', 'leaderWorkerTemplate', template, 'spec', kind];
      for (const [index, container] of listOf(dig(lws, ...path)).entries()) {
        yield { path: `${path.join('.')}[${index}]`, index, container };
      }
    }
  }
}
