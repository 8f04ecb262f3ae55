import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Client, type Connection } from './client';
import { type Component, COMPONENTS, type Layout, lwsConfiguration } from './components';
import { installDefinitions } from './definitions';
import { Keeper } from './keeper';
import { freePorts } from './ports';
import { until } from './wait';
import { webhookConfigurations } from './webhooks';

/** All that a test needs to know of a running cluster; plain data, since tests run in processes of their own. */
export interface ClusterFacts {
  readonly connection: Connection;
  readonly kubeconfig: string;
  readonly programs: string;
  readonly folder: string;
  readonly ports: readonly number[];
  readonly processIds: readonly number[];
}

/** A control plane on the loopback interface: etcd, API server, controllers, scheduler, LWS, and nodes that KWOK plays. */
export class Cluster {
  private constructor(
    public readonly facts: ClusterFacts,
    private readonly keeper: Keeper,
  ) {}

  /** Starts one and waits until it takes objects. A port that somebody was faster to take makes it try others. */
  public static async start(programs: string, attempts = 3): Promise<Cluster> {
    const keeper = await Keeper.start(programs);
    try {
      return new Cluster(await new Start(programs, keeper, await freePorts(4)).run(), keeper);
    } catch (error) {
      await keeper.stop();
      if (attempts > 1 && /address already in use/.test((error as Error).message)) {
        return await Cluster.start(programs, attempts - 1);
      }
      throw error;
    }
  }

  /** Ends all its processes and removes its folder. */
  public async stop(): Promise<void> {
    await this.keeper.stop();
  }
}

/** One start, step by step. */
class Start {
  private readonly layout: Layout;

  public constructor(
    private readonly programs: string,
    private readonly keeper: Keeper,
    private readonly ports: readonly number[],
  ) {
    const [api, etcd, peer, hook] = ports as [number, number, number, number];
    this.layout = { folder: keeper.folder, keys: join(keeper.folder, 'pki'), api, etcd, peer, hook };
  }

  public async run(): Promise<ClusterFacts> {
    this.start('pki');
    await this.until('keys', () => this.keeper.endOf('pki') !== undefined);
    const connection: Connection = {
      server: `https://127.0.0.1:${this.layout.api}`,
      ca: this.key('ca.crt'),
      cert: this.key('admin.crt'),
      key: this.key('admin.key'),
    };
    const client = new Client(connection);
    try {
      await this.startAll(client, connection.ca);
    } finally {
      client.close();
    }
    return {
      connection,
      kubeconfig: join(this.layout.keys, 'admin.kubeconfig'),
      programs: this.programs,
      folder: this.keeper.folder,
      ports: this.ports,
      processIds: this.keeper.processIds,
    };
  }

  private async startAll(client: Client, ca: string): Promise<void> {
    this.start('etcd');
    this.start('kube-apiserver');
    await this.until('the API server', async () => (await client.get('/readyz')).status === 200);
    this.start('kube-controller-manager');
    this.start('kube-scheduler');
    this.start('kwok');
    await installDefinitions(client, this.programs);
    this.startLws();
    await this.until('the webhooks of LWS', () => isListening(this.layout.hook));
    await client.applyAll(webhookConfigurations(this.layout.hook, ca));
    // Without it no pod is admitted to the namespace.
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await this.until('the controllers', async () => (await client.get(account)).status === 200);
  }

  private start(name: Component): void {
    const program = join(this.programs, 'control-plane');
    this.keeper.run(name, [program, name, ...COMPONENTS[name](this.layout)]);
  }

  private startLws(): void {
    const file = join(this.keeper.folder, 'lws.json');
    writeFileSync(file, JSON.stringify(lwsConfiguration(this.layout)));
    const kubeconfig = join(this.layout.keys, 'admin.kubeconfig');
    const program = join(this.programs, 'lws');
    this.keeper.run('lws', [program, '--config', file, '--kubeconfig', kubeconfig, '--zap-log-level', 'info']);
  }

  private key(file: string): string {
    return readFileSync(join(this.layout.keys, file), 'utf8');
  }

  /** Waits, and gives up with the last words of the first process that has ended before its time. */
  private async until(what: string, ask: () => Promise<boolean> | boolean): Promise<void> {
    await until(what, async () => {
      this.keeper.checkAlive();
      try {
        return await ask();
      } catch {
        // Nobody listens yet.
        return false;
      }
    });
  }
}

async function isListening(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
      .once('error', () => resolve(false))
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      });
  });
}
