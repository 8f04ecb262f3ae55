import { go } from './go-decode';
import { BuildError, within } from './grammar';

// The JSON of the annotations `actions.NAME` and `conditions.NAME`, and what the controller checks of it.

export interface TargetGroupTuple {
  readonly targetGroupARN?: string;
  readonly targetGroupName?: string;
  readonly serviceName?: string;
  readonly servicePort?: number | string;
  readonly weight?: number;
}

export interface ActionConfig {
  readonly type?: string;
  readonly targetGroupARN?: string;
  readonly targetGroupName?: string;
  readonly fixedResponseConfig?: {
    readonly contentType?: string;
    readonly messageBody?: string;
    readonly statusCode?: string;
  };
  readonly redirectConfig?: {
    readonly host?: string;
    readonly path?: string;
    readonly port?: string;
    readonly protocol?: string;
    readonly query?: string;
    readonly statusCode?: string;
  };
  readonly forwardConfig?: {
    readonly targetGroups?: readonly TargetGroupTuple[];
    readonly targetGroupStickinessConfig?: { readonly enabled?: boolean; readonly durationSeconds?: number };
  };
}

export const ACTION = go.struct('Action', {
  type: go.named('ingress.ActionType'),
  targetGroupARN: go.string,
  targetGroupName: go.string,
  fixedResponseConfig: go.struct('FixedResponseActionConfig', {
    contentType: go.string,
    messageBody: go.string,
    statusCode: go.string,
  }),
  redirectConfig: go.struct('RedirectActionConfig', {
    host: go.string,
    path: go.string,
    port: go.string,
    protocol: go.string,
    query: go.string,
    statusCode: go.string,
  }),
  forwardConfig: go.struct('ForwardActionConfig', {
    targetGroups: go.list(
      go.struct('TargetGroupTuple', {
        targetGroupARN: go.string,
        targetGroupName: go.string,
        serviceName: go.string,
        servicePort: go.intOrString,
        weight: go.int32,
      }),
    ),
    targetGroupStickinessConfig: go.struct('TargetGroupStickinessConfig', {
      enabled: go.bool,
      durationSeconds: go.int32,
    }),
  }),
});

export function checkAction(action: ActionConfig): void {
  const { type = '', fixedResponseConfig, redirectConfig, forwardConfig } = action;
  switch (type) {
    case 'fixed-response':
      checkStatus('FixedResponseConfig', fixedResponseConfig);
      return;
    case 'redirect':
      checkStatus('RedirectConfig', redirectConfig);
      return;
    case 'forward': {
      const isSimple = action.targetGroupARN !== undefined || action.targetGroupName !== undefined;
      if (isSimple === (forwardConfig !== undefined)) {
        throw new BuildError('precisely one of TargetGroupArn and ForwardConfig can be specified');
      }
      within('invalid ForwardConfig', () => checkTargets(forwardConfig?.targetGroups ?? []));
      return;
    }
    default:
      throw new BuildError(`unknown action type: ${type}`);
  }
}

function checkStatus(name: string, config: { readonly statusCode?: string } | undefined): void {
  if (config === undefined) {
    throw new BuildError(`missing ${name}`);
  }
  if (config.statusCode === undefined || config.statusCode === '') {
    throw new BuildError(`invalid ${name}: statusCode is required`);
  }
}

function checkTargets(tuples: readonly TargetGroupTuple[]): void {
  for (const { targetGroupARN, targetGroupName, serviceName, servicePort } of tuples) {
    const isThere = targetGroupARN !== undefined || targetGroupName !== undefined;
    if (isThere === (serviceName !== undefined)) {
      throw new BuildError(
        'invalid TargetGroupTuple: precisely one of targetGroupARN and serviceName can be specified',
      );
    }
    if (serviceName !== undefined && servicePort === undefined) {
      throw new BuildError('invalid TargetGroupTuple: missing servicePort');
    }
  }
  if (tuples.length > 1 && tuples.some(({ weight }) => weight === undefined)) {
    throw new BuildError('weight must be set when route to multiple target groups');
  }
}

interface Values {
  readonly values?: readonly string[];
  readonly regexValues?: readonly string[];
  readonly httpHeaderName?: string;
}

export interface ConditionConfig {
  readonly field?: string;
  readonly hostHeaderConfig?: Values;
  readonly httpHeaderConfig?: Values;
  readonly httpRequestMethodConfig?: Values;
  readonly pathPatternConfig?: Values;
  readonly queryStringConfig?: { readonly values?: readonly { readonly key?: string; readonly value?: string }[] };
  readonly sourceIPConfig?: Values;
}

const values = go.list(go.string);

export const CONDITIONS = go.list(
  go.struct('RuleCondition', {
    field: go.named('ingress.RuleConditionField'),
    hostHeaderConfig: go.struct('HostHeaderConditionConfig', { values, regexValues: values }),
    httpHeaderConfig: go.struct('HTTPHeaderConditionConfig', {
      httpHeaderName: go.string,
      values,
      regexValues: values,
    }),
    httpRequestMethodConfig: go.struct('HTTPRequestMethodConditionConfig', { values }),
    pathPatternConfig: go.struct('PathPatternConditionConfig', { values, regexValues: values }),
    queryStringConfig: go.struct('QueryStringConditionConfig', {
      values: go.list(go.struct('QueryStringKeyValuePair', { key: go.string, value: go.string })),
    }),
    sourceIPConfig: go.struct('SourceIPConditionConfig', { values }),
  }),
);

/** The field that holds the configuration of a condition. */
const CONFIG_OF = {
  'host-header': 'hostHeaderConfig',
  'path-pattern': 'pathPatternConfig',
  'http-header': 'httpHeaderConfig',
  'http-request-method': 'httpRequestMethodConfig',
  'query-string': 'queryStringConfig',
  'source-ip': 'sourceIPConfig',
} as const;

export type ConditionField = keyof typeof CONFIG_OF;

/** A field that the controller does not know is no condition to it, and no error either. */
export function isConditionField(field: string): field is ConditionField {
  return Object.hasOwn(CONFIG_OF, field);
}

export function checkConditions(conditions: readonly ConditionConfig[]): void {
  for (const condition of conditions) {
    const { field = '' } = condition;
    if (isConditionField(field)) {
      const name = CONFIG_OF[field];
      const config = condition[name];
      if (config === undefined) {
        throw new BuildError(`missing ${name}`);
      }
      within(`invalid ${name}`, () => checkValues(config));
    }
  }
}

function checkValues(config: Values | NonNullable<ConditionConfig['queryStringConfig']>): void {
  const isQuery = config.values?.some((entry) => typeof entry === 'object') ?? false;
  const regexes = 'regexValues' in config ? config.regexValues : undefined;
  if (!config.values?.length && !regexes?.length) {
    throw new BuildError('values cannot be empty');
  }
  if (isQuery && config.values?.some((entry) => typeof entry === 'object' && !entry.value)) {
    throw new BuildError('value cannot be empty');
  }
}
