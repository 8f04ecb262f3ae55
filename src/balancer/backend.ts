import { fallbackOf } from './annotations';
import type { Member } from './classes';
import { ACTION, type ActionConfig, checkAction, checkConditions, type ConditionConfig, CONDITIONS } from './config';
import { type GoType, go } from './go-decode';
import { BuildError } from './grammar';
import { annotationsOf, fieldOf, type ManifestObject, textOf } from './object';
import { Annotations } from './reader';
import { buildTargetGroup, targetGroupKey } from './target-group';
import type { Action, ForwardTarget, LoadBalancer, Protocol, TargetGroup } from './types';

/** Name of a port that stands for the action in the annotation `actions.SERVICE`. */
export const USE_ANNOTATION = 'use-annotation';

/** What the rules of a balancer share while they are built. */
export class Backends {
  public readonly targetGroups = new Map<string, TargetGroup>();
  /** `namespace/name` of Services that are not among the objects. */
  public readonly missing = new Set<string>();

  public constructor(
    private readonly services: ReadonlyMap<string, ManifestObject>,
    private readonly balancer: LoadBalancer,
  ) {}

  /** Conditions that annotations add, and the actions of a backend. The steps are in the order of the controller. */
  public build(member: Member, backend: unknown): BuiltBackend {
    const service = fieldOf(backend, 'service');
    if (typeof service !== 'object' || service === null) {
      throw new BuildError('missing required "service" field');
    }
    const name = textOf(fieldOf(service, 'name')) ?? '';
    const conditions = (member.annotations.json(`conditions.${name}`, CONDITIONS) ?? []) as ConditionConfig[];
    checkConditions(conditions);
    const config = this.actionConfig(member, name, fieldOf(service, 'port'));
    return {
      name,
      conditions,
      auth: authOf(member, this.onlyService(member, config)),
      action: () => this.action(member, config),
    };
  }

  private actionConfig(member: Member, service: string, port: unknown): ActionConfig {
    const portName = textOf(fieldOf(port, 'name'));
    if (portName === USE_ANNOTATION) {
      return this.tolerant(member, annotatedAction(member, service));
    }
    const number = fieldOf(port, 'number');
    const servicePort = portName ?? (typeof number === 'number' ? number : 0);
    return this.tolerant(member, {
      type: 'forward',
      forwardConfig: { targetGroups: [{ serviceName: service, servicePort }] },
    });
  }

  /** One Service that is not there is answered for with 503; among several it is an error. */
  private tolerant(member: Member, config: ActionConfig): ActionConfig {
    const tuples = config.type === 'forward' ? (config.forwardConfig?.targetGroups ?? []) : [];
    for (const { serviceName } of tuples) {
      const key = `${member.namespace}/${serviceName}`;
      if (serviceName !== undefined && !this.services.has(key)) {
        this.missing.add(key);
        if (tuples.length === 1) {
          return unavailable('Backend service does not exist');
        }
        throw new BuildError(`services "${serviceName}" not found`);
      }
    }
    return config;
  }

  private onlyService(member: Member, config: ActionConfig): ManifestObject | undefined {
    const tuples = config.type === 'forward' ? (config.forwardConfig?.targetGroups ?? []) : [];
    return tuples.length === 1 ? this.services.get(`${member.namespace}/${tuples[0]!.serviceName}`) : undefined;
  }

  private action(member: Member, config: ActionConfig): Action {
    if (config.type === 'fixed-response') {
      const { statusCode = '', messageBody } = config.fixedResponseConfig ?? {};
      return { type: 'fixed-response', status: statusCode, ...(messageBody !== undefined && { body: messageBody }) };
    }
    if (config.type === 'redirect') {
      const { statusCode = '', ...to } = config.redirectConfig ?? {};
      return { type: 'redirect', status: statusCode, to };
    }
    const { targetGroups = [], targetGroupStickinessConfig: sticky } = config.forwardConfig ?? {};
    const targets = targetGroups.map((tuple): ForwardTarget => {
      const arn = tuple.targetGroupARN ?? tuple.targetGroupName;
      return {
        ...(arn === undefined
          ? { targetGroup: this.targetGroup(member, tuple.serviceName ?? '', tuple.servicePort ?? 0) }
          : { arn }),
        ...(tuple.weight !== undefined && { weight: tuple.weight }),
      };
    });
    const stickySeconds = sticky?.enabled ? sticky.durationSeconds : undefined;
    return { type: 'forward', targets, ...(stickySeconds !== undefined && { stickySeconds }) };
  }

  private targetGroup(member: Member, serviceName: string, port: number | string): string {
    const service = this.services.get(`${member.namespace}/${serviceName}`)!;
    const key = targetGroupKey(member, service, port);
    if (!this.targetGroups.has(key)) {
      this.targetGroups.set(key, buildTargetGroup(member, service, port, this.balancer));
    }
    return key;
  }
}

export interface BuiltBackend {
  readonly name: string;
  readonly conditions: readonly ConditionConfig[];
  readonly auth: Auth;
  /** Target groups are made when the action is, which is after the conditions of the rule. */
  readonly action: () => Action;
}

function annotatedAction({ annotations }: Member, service: string): ActionConfig {
  const action = annotations.json(`actions.${service}`, ACTION) as ActionConfig | undefined;
  if (annotations.text(`actions.${service}`) === undefined) {
    return unavailable('Backend action does not exist');
  }
  checkAction(action ?? {});
  const { targetGroupARN, targetGroupName } = action ?? {};
  if (action?.type === 'forward' && (targetGroupARN ?? targetGroupName) !== undefined) {
    return { type: 'forward', forwardConfig: { targetGroups: [{ targetGroupARN, targetGroupName }] } };
  }
  const tuples = action?.forwardConfig?.targetGroups;
  return tuples === undefined
    ? (action ?? {})
    : {
        ...action,
        forwardConfig: {
          ...action?.forwardConfig,
          // Ports were texts once, so a number in quotes is a number.
          targetGroups: tuples.map((tuple) =>
            /^[+-]?\d+$/.test(String(tuple.servicePort ?? ''))
              ? { ...tuple, servicePort: Number(tuple.servicePort) }
              : tuple,
          ),
        },
      };
}

function unavailable(messageBody: string): ActionConfig {
  return { type: 'fixed-response', fixedResponseConfig: { contentType: 'text/plain', statusCode: '503', messageBody } };
}

interface Auth {
  readonly type: 'none' | 'cognito' | 'oidc';
  readonly onFailure: string;
  readonly hasCognito: boolean;
  readonly hasOidc: boolean;
  readonly hasJwt: boolean;
}

const EXTRA = go.map(go.string);
const COGNITO: GoType = go.struct('AuthIDPConfigCognito', {
  userPoolARN: go.string,
  userPoolClientID: go.string,
  userPoolDomain: go.string,
  authenticationRequestExtraParams: EXTRA,
});
const OIDC: GoType = go.struct('AuthIDPConfigOIDC', {
  issuer: go.string,
  authorizationEndpoint: go.string,
  tokenEndpoint: go.string,
  userInfoEndpoint: go.string,
  secretName: go.string,
  authenticationRequestExtraParams: EXTRA,
  discoveryEndpoint: go.string,
});

/** Who has to sign in; the Service counts when it is the only one behind the path. */
function authOf(member: Member, service: ManifestObject | undefined): Auth {
  const annotations = service ? new Annotations(annotationsOf(service)).over(member.annotations) : member.annotations;
  const type = annotations.text('auth-type') ?? fallbackOf('auth-type');
  if (type !== 'none' && type !== 'cognito' && type !== 'oidc') {
    throw new BuildError(`unknown authType: ${type}`);
  }
  annotations.int('auth-session-timeout', 64);
  const hasCognito = annotations.json('auth-idp-cognito', COGNITO) !== undefined;
  const hasOidc = annotations.json('auth-idp-oidc', OIDC) !== undefined;
  const onFailure =
    annotations.text('auth-on-unauthenticated-request') ?? fallbackOf('auth-on-unauthenticated-request');
  return { type, onFailure, hasCognito, hasOidc, hasJwt: member.annotations.checkJson('jwt-validation') !== undefined };
}

/** Conditions are built between the two; on plain HTTP nobody signs in. */
export function actionsOf({ auth, action }: BuiltBackend, protocol: Protocol): Action[] {
  const actions: Action[] = [];
  if (protocol === 'HTTPS') {
    if (auth.type === 'cognito') {
      if (!auth.hasCognito) {
        throw new BuildError('missing IDPConfigCognito');
      }
      actions.push({ type: 'authenticate-cognito', onFailure: auth.onFailure });
    } else if (auth.type === 'oidc') {
      if (!auth.hasOidc) {
        throw new BuildError('missing IDPConfigOIDC');
      }
      actions.push({ type: 'authenticate-oidc', onFailure: auth.onFailure });
    } else if (auth.hasJwt) {
      actions.push({ type: 'jwt-validation', onFailure: 'deny' });
    }
  }
  return [...actions, action()];
}
