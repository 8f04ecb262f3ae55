import { Chart, type Duration } from 'cdk8s';
import { checkDns1035Label } from '../common/names';
import { checkInteger } from '../common/numbers';
import { API_PATH } from '../engine/server';
import type { ChatApp } from './chat-app';
import type { LeaderService } from './leader-service';

/**
 * One path of a balancer and the Service behind it.
 *
 * @example
 *   AlbRoute.chat(chat);               // the path of the chat page
 *   AlbRoute.api(api);                 // /v1: what the API key guards
 *   AlbRoute.wholeServer('/', api);    // everything, unguarded paths included
 *   AlbRoute.service('/grafana', 'grafana', 3000);
 */
export class AlbRoute {
  /** The chat page, under its own path. */
  public static chat(chat: ChatApp): AlbRoute {
    return new AlbRoute(
      chat.path,
      chat.serviceName,
      chat.port,
      chat.keepAliveTimeout,
      Chart.of(chat).namespace ?? '',
      'ChatApp',
    );
  }

  /**
   * The OpenAI-compatible API: `/v1`, which the API key guards. vLLM's other paths stay inside: /invocations
   * generates text without a key, /metrics and /load tell about the use.
   * @throws when the group has no API key
   */
  public static api(api: LeaderService): AlbRoute {
    if (api.group.apiKey === undefined) {
      throw new Error(
        `group '${api.group.groupName}' has no apiKey, so anyone who reaches the balancer could use the model; ` +
          "give the group one (apiKey: SecretKey.of('vllm-api-key', 'key')), or route it by name: " +
          `AlbRoute.wholeServer('${API_PATH}', api)`,
      );
    }
    return AlbRoute.wholeServer(API_PATH, api);
  }

  /**
   * A path of the server as it is, guarded by the API key or not. With `/` it is the whole server, of which the key
   * guards /v1, /v2, /inference and /cohere only.
   */
  public static wholeServer(path: string, api: LeaderService): AlbRoute {
    return new AlbRoute(path, api.serviceName, api.port, api.keepAliveTimeout, Chart.of(api).namespace ?? '', 'group');
  }

  /**
   * Any other Service in the namespace of the Ingress. Its pods must keep idle connections open for longer than the
   * balancer, and the Service must carry its own annotation for the path of the health check.
   */
  public static service(path: string, serviceName: string, port: number): AlbRoute {
    return new AlbRoute(path, serviceName, port);
  }

  /** Path prefix; the balancer does not rewrite it. */
  public readonly path: string;
  /** Name of the Service. */
  public readonly serviceName: string;
  /** Port of the Service. */
  public readonly port: number;
  /** How long the pods keep idle connections open, when it is known. */
  public readonly keepAliveTimeout?: Duration;
  /**
   * Namespace of the Service, when it is known; empty for the one that the client is set to.
   * @internal
   */
  public readonly _namespace?: string;

  /**
   * Whose prop `keepAliveTimeout` it is.
   * @internal
   */
  public readonly _owner?: string;

  private constructor(
    path: string,
    serviceName: string,
    port: number,
    keepAlive?: Duration,
    namespace?: string,
    owner?: string,
  ) {
    const isPath = /^\/([A-Za-z0-9_.~&'@:+$"-]+(\/[A-Za-z0-9_.~&'@:+$"-]+)*)?$/.test(path);
    // The balancer's own limit for a pattern is 128 characters, of which the pattern for what lies below takes two.
    if (!isPath || /\/\.{1,2}(\/|$)/.test(path) || path.length > 126) {
      throw new Error(
        `path is '${path}'; it takes '/' or segments such as '/chat', without wildcards, '.' and '..', and without a slash ` +
          'at the end, at most 126 characters',
      );
    }
    this.path = path;
    this.serviceName = checkDns1035Label('name of the Service', serviceName);
    this.port = checkInteger(`port of Service ${serviceName}`, port, 1, 65535);
    this.keepAliveTimeout = keepAlive;
    this._namespace = namespace;
    this._owner = owner;
  }
}
