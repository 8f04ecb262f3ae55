import { Agent, request } from 'node:https';
import { Yaml } from 'cdk8s';
import type { KubernetesObject } from '../../../src/manifest/object';

/** Where the API server is, and who asks. */
export interface Connection {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What the API server said. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly body: T;
  /** Its `Warning` headers, which kubectl prints. */
  readonly warnings: readonly string[];
}

export interface Write {
  /** Everything but the write: admission, validation, defaults. */
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

interface Resource {
  readonly kind: string;
  readonly name: string;
  readonly namespaced: boolean;
}

/** The message of a refusal, or what else came. */
export function messageOf({ status, body }: Answer): string {
  const message = (body as { message?: string } | undefined)?.message;
  return `${status} ${message ?? (typeof body === 'string' ? body : JSON.stringify(body))}`;
}

/** A client of the API server with what the tests need of one. */
export class Client {
  private readonly agent: Agent;
  private readonly resources = new Map<string, Promise<readonly Resource[]>>();

  public constructor(private readonly connection: Connection) {
    const { ca, cert, key } = connection;
    this.agent = new Agent({ keepAlive: true, maxSockets: 16, ca, cert, key });
  }

  /** Server-side apply with strict field validation, as `kubectl apply --server-side --validate=strict` sends it. */
  public async apply(object: unknown, { dryRun = false, fieldManager = 'test' }: Write = {}): Promise<Answer> {
    const path = await this.pathOf(object as KubernetesObject);
    const query = `?fieldManager=${fieldManager}&fieldValidation=Strict&force=true${dryRun ? '&dryRun=All' : ''}`;
    // In the very YAML that a synthesis writes.
    return await this.send('PATCH', path + query, Yaml.stringify(object), 'application/apply-patch+yaml');
  }

  /** Applies objects in their order; an error names the one that was refused. */
  public async applyAll(objects: readonly unknown[], write: Write = {}): Promise<void> {
    for (const object of objects) {
      const answer = await this.apply(object, write);
      if (answer.status >= 300) {
        const { kind, metadata } = object as KubernetesObject;
        throw new Error(`${kind}/${metadata.name}: ${messageOf(answer)}`);
      }
    }
  }

  public async create(object: unknown, { dryRun = false }: Write = {}): Promise<Answer> {
    const { apiVersion, kind, metadata } = object as KubernetesObject;
    const path = await this.collection(apiVersion, kind, metadata.namespace);
    const query = `?fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`;
    return await this.send('POST', path + query, JSON.stringify(object), 'application/json');
  }

  public async get<T = unknown>(path: string): Promise<Answer<T>> {
    return (await this.send('GET', path)) as Answer<T>;
  }

  /** The items of a list. */
  public async list<T>(path: string): Promise<readonly T[]> {
    const answer = await this.get<{ items: readonly T[] }>(path);
    if (answer.status !== 200) {
      throw new Error(`GET ${path}: ${messageOf(answer)}`);
    }
    return answer.body.items;
  }

  public async delete(path: string): Promise<Answer> {
    return await this.send('DELETE', path);
  }

  public async mergePatch(path: string, patch: unknown): Promise<Answer> {
    return await this.send('PATCH', path, JSON.stringify(patch), 'application/merge-patch+json');
  }

  public async jsonPatch(path: string, patch: readonly unknown[]): Promise<Answer> {
    return await this.send('PATCH', path, JSON.stringify(patch), 'application/json-patch+json');
  }

  /** The path of one object. */
  public async pathOf({ apiVersion, kind, metadata }: KubernetesObject): Promise<string> {
    return `${await this.collection(apiVersion, kind, metadata.namespace)}/${encodeURIComponent(metadata.name)}`;
  }

  public async send(method: string, path: string, body?: string, type?: string): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const headers = {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
      };
      const asking = request(this.connection.server + path, { method, agent: this.agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const warnings = (response.headersDistinct.warning ?? []).map(
            (header) => /^\d+ \S+ "((?:[^"\\]|\\.)*)"/.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? header,
          );
          resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()), warnings });
        });
      });
      asking.on('error', reject);
      asking.end(body);
    });
  }

  public close(): void {
    this.agent.destroy();
  }

  private async collection(apiVersion: string, kind: string, namespace = 'default'): Promise<string> {
    const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = this.resources.get(base) ?? this.discover(base);
    this.resources.set(base, known);
    const resource = (await known).find((each) => each.kind === kind && !each.name.includes('/'));
    if (resource === undefined) {
      this.resources.delete(base);
      throw new Error(`the API server knows no ${kind} of ${apiVersion}`);
    }
    return `${base}${resource.namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${resource.name}`;
  }

  private async discover(base: string): Promise<readonly Resource[]> {
    return (await this.get<{ resources?: readonly Resource[] }>(base)).body.resources ?? [];
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
