import type { CallName, Calls } from './types';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What the compiler knows of a command of the SDK. */
interface Handled<Output> {
  resolveMiddleware(...args: never[]): (...args: never[]) => Promise<{ output: Output }>;
}
/** The commands of a service by their names; an input or an output that the SDK has otherwise does not compile. */
export type CommandsOf<Service extends string> = {
  readonly [C in CallName as C extends `${Service}.${infer Name}` ? Name : never]: new (
    input: Calls[C][0],
  ) => Handled<Calls[C][1]>;
};

/** The part of an HTTP answer that is looked at. */
export interface RawAnswer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Something that sees every answer before it is read. */
export type Middleware = (
  next: (args: never) => Promise<{ response: unknown; output: never }>,
) => (args: never) => Promise<{ response: unknown; output: never }>;

interface Client {
  send(command: never): Promise<unknown>;
  readonly config: { readonly credentials: () => Promise<Credentials> };
  readonly middlewareStack: {
    addRelativeTo(
      middleware: never,
      options: { relation: 'after'; toMiddleware: string; name: string; override: boolean },
    ): void;
  };
}
export interface Service {
  readonly client: Client;
  readonly commands: Readonly<Record<string, new (input: never) => unknown>>;
}
export interface ClientConfig {
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: Credentials | (() => Promise<Credentials>);
  readonly maxAttempts: number;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: boolean;
  };
}
