import type { Json, Member, Model, Operation } from './model';

export interface Request {
  readonly method: string;
  readonly url: URL;
  readonly body: string;
}

/** What cannot be read by the model at all. */
export class NotInModel extends Error {}

function scalar(model: Model, shape: string, text: string): unknown {
  switch (model.shapes[shape]!.type) {
    case 'integer':
    case 'long':
      return Number(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

/** Which operation a request is, and its parameters; what no member takes is an error. */
export function decoded(model: Model, request: Request): { operation: Operation; input: Json } {
  return model.protocol === 'rest-json' ? fromRest(model, request) : fromForm(model, request);
}

function fromRest(model: Model, { method, url, body }: Request): { operation: Operation; input: Json } {
  for (const operation of Object.values(model.operations)) {
    const names: string[] = [];
    const pattern = operation.http.requestUri
      .split('?')[0]!
      .replace(/\{([^}]+)\}/g, (_, name: string) => `(?<_${names.push(name.replace('+', ''))}>[^/]+)`);
    const match = operation.http.method === method ? new RegExp(`^${pattern}$`).exec(url.pathname) : null;
    if (match === null) {
      continue;
    }
    const labels = new Map(names.map((name, i) => [name, decodeURIComponent(match[i + 1]!)]));
    const input: Record<string, unknown> = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
    const query = new Map<string, string[]>();
    url.searchParams.forEach((value, key) => query.set(key, [...(query.get(key) ?? []), value]));
    const members = operation.input === undefined ? {} : (model.shapes[operation.input.shape]!.members ?? {});
    for (const [name, { location, locationName = name, shape }] of Object.entries(members)) {
      if (location === 'uri') {
        input[name] = labels.get(locationName);
      }
      const values = location === 'querystring' ? query.get(locationName) : undefined;
      if (values !== undefined) {
        query.delete(locationName);
        input[name] = model.shapes[shape]!.type === 'list' ? values : scalar(model, shape, values[0]!);
      }
    }
    if (query.size > 0) {
      throw new NotInModel(`${operation.name} has no query parameter ${[...query.keys()].join(', ')}`);
    }
    return { operation, input };
  }
  throw new NotInModel(`${method} ${url.pathname} is no call of the model`);
}

function fromForm(model: Model, { body }: Request): { operation: Operation; input: Json } {
  const form = new Map(new URLSearchParams(body));
  const name = form.get('Action') ?? '';
  const operation = model.operations[name];
  if (operation === undefined) {
    throw new NotInModel(`'${name}' is no action of the model`);
  }
  form.delete('Action');
  form.delete('Version');
  const input = operation.input === undefined ? {} : structure(model, operation.input.shape, form, '');
  if (form.size > 0) {
    throw new NotInModel(`${name} has no parameter ${[...form.keys()].join(', ')}`);
  }
  return { operation, input: input ?? {} };
}

function structure(model: Model, shape: string, form: Map<string, string>, prefix: string): Json | undefined {
  const found: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(model.shapes[shape]!.members ?? {})) {
    const key = wireName(model, name, member);
    const value = valueAt(model, member.shape, form, prefix === '' ? key : `${prefix}.${key}`);
    if (value !== undefined) {
      found[name] = value;
    }
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** EC2 writes the names of requests with a capital letter. */
function wireName({ protocol }: Model, name: string, { queryName, locationName }: Member): string {
  return protocol === 'ec2'
    ? (queryName ?? (locationName === undefined ? name : locationName[0]!.toUpperCase() + locationName.slice(1)))
    : (locationName ?? name);
}

function valueAt(model: Model, shape: string, form: Map<string, string>, key: string): unknown {
  const { type, member, flattened } = model.shapes[shape]!;
  if (type === 'structure') {
    return structure(model, shape, form, key);
  }
  if (type === 'list') {
    const base = model.protocol === 'ec2' || flattened ? key : `${key}.${member!.locationName ?? 'member'}`;
    const values: unknown[] = [];
    for (let i = 1; ; i++) {
      const value = valueAt(model, member!.shape, form, `${base}.${i}`);
      if (value === undefined) {
        return values.length === 0 ? undefined : values;
      }
      values.push(value);
    }
  }
  const text = form.get(key);
  form.delete(key);
  return text === undefined ? undefined : scalar(model, shape, text);
}
