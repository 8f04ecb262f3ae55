import { get } from './json';
import type { KubernetesObject } from './object';
import { readService, type Service, serviceLinks } from './services';

/** The bucket of an object's namespace; what names none goes wherever it is applied, all to the same place. */
export function namespaceOf(object: KubernetesObject): string {
  return object.metadata.namespace ?? '';
}

/** What the reader looks up in other objects of the same bundle. */
export class Bundle {
  private readonly services = new Map<string, Service[]>();
  private readonly links = new Map<string, ReadonlySet<string>>();
  private readonly configMaps = new Map<string, KubernetesObject>();

  public constructor(objects: readonly KubernetesObject[]) {
    for (const object of objects) {
      if (object.kind === 'Service') {
        const service = readService(object);
        const known = this.services.get(service.namespace);
        if (known) {
          known.push(service);
        } else {
          this.services.set(service.namespace, [service]);
        }
      } else if (object.kind === 'ConfigMap') {
        this.configMaps.set(`${namespaceOf(object)}/${object.metadata.name}`, object);
      }
    }
  }

  /** Variables that the Services of a namespace give to its pods. */
  public serviceLinksIn(namespace: string): ReadonlySet<string> {
    let links = this.links.get(namespace);
    if (links === undefined) {
      links = new Set((this.services.get(namespace) ?? []).flatMap(serviceLinks));
      this.links.set(namespace, links);
    }
    return links;
  }

  /** The data of a ConfigMap that is in the bundle. */
  public configMap(namespace: string, name: string): unknown {
    return get(this.configMaps.get(`${namespace}/${name}`), 'data');
  }
}
