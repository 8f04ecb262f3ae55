import { Answers } from '../../common/memo';
import { get, textMapOf } from '../../manifest/json';
import { type Monitor, readMonitor } from '../../manifest/others';
import { type Labels, labelsOf, matcherOf } from '../../manifest/selector';
import { readService, type Service } from '../../manifest/services';
import type { KubernetesObject, ObjectSet } from '../finding';
import type { RuleInput } from '../rule';

/** The monitors of one kind. */
export function monitorsOf({ set }: RuleInput, kind: Monitor['kind']): Monitor[] {
  return set.ofKind(kind).map(readMonitor);
}

/** Services by namespace and some of their labels; `*` in front of what is in any namespace. */
class ServiceIndex {
  private readonly byLabel = new Map<string, KubernetesObject[]>();
  private readonly order = new Map<KubernetesObject, number>();

  public constructor(
    services: readonly KubernetesObject[],
    private readonly labelsIn: (service: KubernetesObject) => Labels,
  ) {
    for (const service of services) {
      this.order.set(service, this.order.size);
      const labels = [...labelsIn(service)].map(([name, value]) => ` ${name}=${value}`);
      for (const place of ['*', `/${service.metadata.namespace ?? ''}`]) {
        for (const key of ['', ...labels]) {
          const known = this.byLabel.get(place + key);
          if (known) {
            known.push(service);
          } else {
            this.byLabel.set(place + key, [service]);
          }
        }
      }
    }
  }

  /** The Services of a namespace, or of all, with the rarest of some labels: those with all of them are among these. */
  public withRarest(labels: Labels, namespace: string | undefined): readonly KubernetesObject[] {
    const place = namespace === undefined ? '*' : `/${namespace}`;
    let best = this.byLabel.get(place) ?? [];
    for (const [name, value] of labels) {
      const services = this.byLabel.get(`${place} ${name}=${value}`) ?? [];
      if (services.length < best.length) {
        best = services;
      }
    }
    return best;
  }

  /** The first Service of a namespace with any of some labels. */
  public firstWithAny(labels: Labels, namespace: string): KubernetesObject | undefined {
    const firsts = [...labels].flatMap(
      ([name, value]) => this.byLabel.get(`/${namespace} ${name}=${value}`)?.[0] ?? [],
    );
    return firsts.sort((a, b) => this.order.get(a)! - this.order.get(b)!)[0];
  }

  /** The first Service of a namespace with all of some labels. */
  public firstWithAll(labels: Labels, namespace: string): KubernetesObject | undefined {
    return this.withRarest(labels, namespace).find((service) => {
      const own = this.labelsIn(service);
      return [...labels].every(([name, value]) => own.get(name) === value);
    });
  }
}

const indices = new Answers<ObjectSet, ServiceIndex>();

/** Services by their own labels. */
export function servicesByLabel({ set }: RuleInput): ServiceIndex {
  return indices.of(set, 'labels', () => new ServiceIndex(set.ofKind('Service'), labelsOf));
}

/** Services by the labels that they select. */
export function servicesBySelector({ set }: RuleInput): ServiceIndex {
  return indices.of(
    set,
    'selector',
    () => new ServiceIndex(set.ofKind('Service'), ({ spec }) => textMapOf(get(spec, 'selector'))),
  );
}

const selected = new Answers<ObjectSet, readonly Service[]>();

/** The Services that a ServiceMonitor selects; monitors that select the same get the same list. */
export function servicesOf(input: RuleInput, { selector, namespaces }: Monitor): readonly Service[] {
  return selected.of(input.set, JSON.stringify([namespaces ?? null, selector ?? null]), () => {
    const labels = textMapOf(get(selector, 'matchLabels'));
    const isMatch = matcherOf(selector);
    const among = namespaces && new Set(namespaces);
    const only = namespaces?.length === 1 ? namespaces[0] : undefined;
    return servicesByLabel(input)
      .withRarest(labels, only)
      .filter(
        (service) => (among?.has(service.metadata.namespace ?? '') ?? true) && isMatch(labelsOf(service)) === true,
      )
      .map(readService);
  });
}
