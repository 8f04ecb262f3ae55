import { type Listener, parse, type Properties } from './parser';
import type { Step } from './path';
import { resolveScalar } from './scalars';

interface Pair {
  readonly key: string;
  readonly isMerge: boolean;
  /** Where the key stands. */
  readonly start: number;
  readonly value: Node;
}

/** A value with the places of all that is in it. Made of documents alone that something is said of. */
export interface Node {
  readonly start: number;
  readonly pairs?: Pair[];
  readonly items?: Node[];
  readonly text?: string;
}

/** The places of a document's values; `undefined` when it says nothing. */
export function treeOf(text: string): Node | undefined {
  const builder = new Builder();
  parse(text, builder);
  return builder.root;
}

interface Frame {
  readonly node: Node;
  key: { readonly name: string; readonly isMerge: boolean; readonly start: number } | undefined;
}

class Builder implements Listener {
  public root: Node | undefined;
  private readonly stack: Frame[] = [];
  private readonly anchors = new Map<string, Node>();

  public onDocument(): void {
    this.anchors.clear();
  }

  public onOpen(kind: 'mapping' | 'sequence', start: number, { anchor }: Properties): void {
    const node: Node = kind === 'mapping' ? { start, pairs: [] } : { start, items: [] };
    this.remember(anchor, node);
    this.stack.push({ node, key: undefined });
  }

  public onClose(): void {
    this.add(this.stack.pop()!.node, false);
  }

  public onScalar(text: string, start: number, isPlain: boolean, { anchor }: Properties): void {
    const node = { start, text };
    this.remember(anchor, node);
    this.add(node, isPlain);
  }

  public onAlias(name: string, start: number): void {
    this.add({ ...this.anchors.get(name), start }, false);
  }

  private remember(anchor: string, node: Node): void {
    if (anchor !== '') {
      this.anchors.set(anchor, node);
    }
  }

  private add(node: Node, isPlain: boolean): void {
    const frame = this.stack.at(-1);
    if (frame === undefined) {
      this.root ??= node;
    } else if (frame.node.items !== undefined) {
      frame.node.items.push(node);
    } else if (frame.key === undefined) {
      const text = node.text ?? '';
      frame.key = {
        name: isPlain ? String(resolveScalar(text)) : text,
        isMerge: isPlain && text === '<<',
        start: node.start,
      };
    } else {
      const { name: key, isMerge, start } = frame.key;
      frame.node.pairs!.push({ key, isMerge, start, value: node });
      frame.key = undefined;
    }
  }
}

/** Where a path leads to, or the nearest parent of that which there is: the key of a mapping, the item of a list. */
export function locate(root: Node, steps: readonly Step[]): number {
  let node = root;
  let start = root.start;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    if ('key' in step) {
      const found = pairOf(node, steps, i);
      if (found === undefined) {
        return start;
      }
      node = found.pair.value;
      start = found.pair.start;
      i += found.taken - 1;
    } else {
      const item =
        'index' in step
          ? node.items?.[step.index]
          : node.items?.find((each) =>
              each.pairs?.some(({ key, value }) => key === 'name' && value.text === step.named),
            );
      if (item === undefined) {
        return start;
      }
      node = item;
      start = item.start;
    }
  }
  return start;
}

/** A key, also one with dots that a path gives without quotes. The last of duplicates is the one that counts. */
function pairOf(node: Node, steps: readonly Step[], from: number): { pair: Pair; taken: number } | undefined {
  let key = '';
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!;
    if (!('key' in step)) {
      return undefined;
    }
    key += i === from ? step.key : `.${step.key}`;
    const pair = findPair(node, key);
    if (pair !== undefined) {
      return { pair, taken: i - from + 1 };
    }
  }
  return undefined;
}

function findPair(node: Node, key: string): Pair | undefined {
  const own = node.pairs?.findLast((pair) => pair.key === key && !pair.isMerge);
  if (own !== undefined) {
    return own;
  }
  for (const { value } of node.pairs?.filter(({ isMerge }) => isMerge) ?? []) {
    for (const source of value.items ?? [value]) {
      const found = findPair(source, key);
      if (found !== undefined) {
        return found;
      }
    }
  }
  return undefined;
}

/** The other places of a key in the mapping where it stands at `offset`; the first of them. */
export function firstPlaceOf(root: Node, key: string, offset: number): number | undefined {
  const nodes = [root];
  const seen = new Set<Node>();
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (seen.has(node)) {
      continue;
    }
    seen.add(node);
    if (node.pairs?.some((pair) => pair.start === offset && pair.key === key)) {
      return node.pairs.find((pair) => pair.key === key)?.start;
    }
    for (const { value } of node.pairs ?? []) {
      nodes.push(value);
    }
    for (const item of node.items ?? []) {
      nodes.push(item);
    }
  }
  return undefined;
}
