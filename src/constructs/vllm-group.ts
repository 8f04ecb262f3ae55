import { Duration } from 'cdk8s';
import { checkDns1035Label } from '../common/names';
import { checkInteger, checkSeconds } from '../common/numbers';
import { LWS_NAME_LABEL, LWS_WORKER_INDEX_LABEL } from '../engine/lws';
import { DEFAULT_PORT } from '../engine/server';
import type { SecretKey } from './secret-key';

/** A vLLM group as the things around it see it, wherever it was made. */
export interface IVllmGroup {
  /** Name of the LeaderWorkerSet. */
  readonly groupName: string;
  /** Its namespace, when it is known; empty for the one that the client is set to. */
  readonly groupNamespace?: string;
  /** Labels that its leaders alone carry. */
  readonly leaderSelector: { [label: string]: string };
  /** HTTP port of the leader. */
  readonly port: number;
  /** How long the leader keeps an idle connection open. */
  readonly keepAliveTimeout: Duration;
  /** Name of the model in requests, when it is known. */
  readonly servedModelName?: string;
  /** Key that guards the API, when there is one. */
  readonly apiKey?: SecretKey;
}

/** What is known of a group that was made elsewhere. */
export interface VllmGroupAttributes {
  /**
   * Namespace of the group.
   * @default - that of the constructs which refer to it
   */
  readonly groupNamespace?: string;

  /**
   * HTTP port of the leader; its container port must be named `http`.
   * @default 8000
   */
  readonly port?: number;

  /**
   * How long the leader keeps an idle connection open: its VLLM_HTTP_TIMEOUT_KEEP_ALIVE.
   * @default Duration.seconds(5), as vLLM does by itself
   */
  readonly keepAliveTimeout?: Duration;

  /**
   * Name of the model in requests.
   * @default - unknown
   */
  readonly servedModelName?: string;

  /**
   * Key that guards the API.
   * @default - none
   */
  readonly apiKey?: SecretKey;
}

/** Labels that LWS itself puts on the leaders of a group, and on nothing else. */
export function leaderSelectorOf(groupName: string): { [label: string]: string } {
  return { [LWS_NAME_LABEL]: groupName, [LWS_WORKER_INDEX_LABEL]: '0' };
}

/** A group that this App does not define. */
export class ImportedGroup implements IVllmGroup {
  public readonly groupName: string;
  public readonly groupNamespace?: string;
  public readonly leaderSelector: { [label: string]: string };
  public readonly port: number;
  public readonly keepAliveTimeout: Duration;
  public readonly servedModelName?: string;
  public readonly apiKey?: SecretKey;

  public constructor(name: string, attributes: VllmGroupAttributes) {
    this.groupName = checkDns1035Label('name of the group', name);
    this.groupNamespace = attributes.groupNamespace;
    this.leaderSelector = leaderSelectorOf(name);
    this.port = checkInteger('port', attributes.port ?? DEFAULT_PORT, 1, 65535);
    this.keepAliveTimeout = attributes.keepAliveTimeout ?? Duration.seconds(5);
    checkSeconds('keepAliveTimeout', this.keepAliveTimeout, 1, 24 * 3600);
    this.servedModelName = attributes.servedModelName;
    this.apiKey = attributes.apiKey;
  }
}
