import { existsSync, readFileSync } from 'node:fs';
import { isProgram, onPath } from '../programs';
import { call, type Called } from './call';
import { explain, noContext, wrongContext } from './explain';
import { ClusterFailure, isFailure } from './failure';
import { Running, type Watcher } from './running';

/** Which cluster, and what asks it. What is not said, kubectl decides. */
export interface Target {
  /** The program; else the first `kubectl` on the path. */
  readonly kubectl?: string;
  /** The path that it is looked for on. */
  readonly path: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
}

/** Where a pod finds its own namespace. */
const OWN_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const CALL_SECONDS = 60;

/**
 * The cluster behind `kubectl`, with whatever authentication, proxy and configuration the person who calls has for it. Reads
 * go through `get --raw`: one request each, whatever else the cluster serves.
 */
export class Kubectl {
  /**
   * Finds program, context and namespace. Nothing is asked of the cluster yet. The context stays that one, whatever becomes the
   * current one meanwhile: a drill puts right in a cluster what it broke there.
   */
  public static async open(target: Target): Promise<Kubectl> {
    const program = findProgram(target);
    // kubectl takes a file that is not there for an empty one.
    if (target.kubeconfig !== undefined && !existsSync(target.kubeconfig)) {
      throw new ClusterFailure('kubeconfig', `--kubeconfig is '${target.kubeconfig}', and there is no such file`);
    }
    const flags = (context: string | undefined): readonly string[] => [
      ...(target.kubeconfig === undefined ? [] : [`--kubeconfig=${target.kubeconfig}`]),
      ...(context === undefined ? [] : [`--context=${context}`]),
    ];
    const view = await called(program, [...flags(target.context), 'config', 'view', '-o', 'json'], CALL_SECONDS);
    if (view.code === undefined) {
      throw late('config', CALL_SECONDS);
    }
    const config = view.code === 0 ? configurationIn(view.stdout, program) : {};
    const contexts = (config.contexts ?? []).map(({ name }) => name);
    if (view.code !== 0) {
      throw explain(view.stderr, { context: target.context, contexts });
    }
    const name = target.context ?? (config['current-context'] || undefined);
    const context = config.contexts?.find((each) => each.name === name);
    if (context === undefined) {
      // In a pod, kubectl needs no configuration.
      const isInside = name === undefined && process.env['KUBERNETES_SERVICE_HOST'] !== undefined;
      if (!isInside) {
        throw name === undefined ? noContext(contexts) : wrongContext(name, contexts);
      }
    }
    const namespace = target.namespace ?? (context ? context.context?.namespace || undefined : ownNamespace());
    return new Kubectl(program, flags(name), name, contexts, namespace ?? 'default', target.namespace !== undefined);
  }

  private constructor(
    public readonly program: string,
    private readonly flags: readonly string[],
    /** Nothing inside of a cluster. */
    public readonly context: string | undefined,
    private readonly contexts: readonly string[],
    public readonly namespace: string,
    /** Whether somebody said which; else it is the one of the context. */
    public readonly isNamespaceGiven: boolean,
  ) {}

  /** Path of the namespace in the core API, or in another: `apps/v1`. */
  public path(rest: string, api = ''): string {
    return `${api === '' ? '/api/v1' : `/apis/${api}`}/namespaces/${encodeURIComponent(this.namespace)}/${rest}`;
  }

  /** What the API server answers to GET, parsed. */
  public async get<T>(path: string, seconds = CALL_SECONDS): Promise<T> {
    const text = await this.run(['get', '--raw', path, `--request-timeout=${seconds}s`], seconds + 15);
    const value = parsed(text);
    if (value === undefined) {
      // What a Secret holds must not be shown, however it comes.
      const shown = path.includes('/secrets/') ? '' : `: ${text.slice(0, 200)}`;
      throw new ClusterFailure('other', `${path} is answered with something else than a JSON object${shown}`);
    }
    return value as T;
  }

  /** The items of a list. Go writes an empty one as null. */
  public async list<T>(path: string): Promise<readonly T[]> {
    const { items } = await this.get<{ readonly items?: readonly T[] | null }>(path);
    return Array.isArray(items) ? (items as readonly T[]) : [];
  }

  /** The same; nothing where there is nothing. */
  public async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path);
    } catch (error) {
      if (isFailure(error, 'not-found')) {
        return undefined;
      }
      throw error;
    }
  }

  /** Runs a command in a container and gives what it wrote. */
  public async exec(
    pod: string,
    container: string,
    command: readonly string[],
    seconds = CALL_SECONDS,
  ): Promise<string> {
    return this.run([...this.here, 'exec', pod, '-c', container, '--', ...command], seconds);
  }

  /** Runs kubectl once and gives its standard output; what goes wrong is a ClusterFailure that says what to do. */
  public async run(args: readonly string[], seconds = CALL_SECONDS, input?: string): Promise<string> {
    const { code, stdout, stderr } = await called(this.program, [...this.flags, ...args], seconds, input);
    if (code === 0) {
      return stdout;
    }
    if (code === undefined) {
      throw late(args[0]!, seconds);
    }
    throw this.explain(stderr);
  }

  /** Starts a kubectl that goes on: `logs --follow`, `get --watch`, `port-forward`. It cannot outlive this process. */
  public start(args: readonly string[], watcher: Watcher): Running {
    return new Running(this.program, [...this.flags, ...this.here, ...args], watcher);
  }

  public explain(stderr: string): ClusterFailure {
    return explain(stderr, { context: this.context, contexts: this.contexts });
  }

  private get here(): readonly string[] {
    return [`--namespace=${this.namespace}`];
  }
}

interface Configuration {
  readonly 'current-context'?: string;
  readonly contexts?: readonly { readonly name: string; readonly context?: { readonly namespace?: string } }[] | null;
}

/** A program that cannot be started is a failure as any other: it may be replaced by its next release just then. */
async function called(program: string, args: readonly string[], seconds: number, input?: string): Promise<Called> {
  try {
    return await call(program, args, seconds, input);
  } catch (error) {
    throw new ClusterFailure('no-kubectl', `'${program}' cannot be started: ${(error as Error).message}`);
  }
}

function late(verb: string, seconds: number): ClusterFailure {
  return new ClusterFailure('late', `kubectl ${verb} did not end within ${seconds} s; is the API server reachable?`);
}

/** Nothing for what is no JSON object. */
function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function configurationIn(text: string, program: string): Configuration {
  const config = parsed(text);
  if (config === undefined) {
    throw new ClusterFailure(
      'other',
      `'${program} config view -o json' wrote something else than a JSON object; is it a kubectl?`,
    );
  }
  return config;
}

function findProgram({ kubectl, path }: Target): string {
  if (kubectl !== undefined) {
    const found = /[/\\]/.test(kubectl) ? (isProgram(kubectl) ? kubectl : undefined) : onPath(kubectl, path);
    if (found === undefined) {
      throw new ClusterFailure('no-kubectl', `--kubectl is '${kubectl}', and there is no such program`);
    }
    return found;
  }
  const found = onPath('kubectl', path);
  if (found === undefined) {
    throw new ClusterFailure(
      'no-kubectl',
      'there is no `kubectl` on the path, and the cluster is asked through it; install it ' +
        '(https://kubernetes.io/docs/tasks/tools/), or name one with --kubectl',
    );
  }
  return found;
}

function ownNamespace(): string | undefined {
  try {
    return readFileSync(OWN_NAMESPACE, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
