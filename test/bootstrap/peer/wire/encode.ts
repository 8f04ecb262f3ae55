import type { Model, Operation } from './model';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An error as AWS answers it. */
export class AwsError extends Error {
  public constructor(
    public readonly code: string,
    message: string,
    public readonly status = 400,
  ) {
    super(message);
  }
}

const REQUEST_ID = '00000000-0000-4000-8000-000000000000';

export function encoded(model: Model, operation: Operation, output: unknown): Answer {
  const { name } = operation;
  const shape = operation.output?.shape;
  if (model.protocol === 'rest-json') {
    // Times are numbers of seconds here; the SDK takes nothing else.
    const body = JSON.stringify(output, function (this: Record<string, unknown>, key: string, value: unknown) {
      return this[key] instanceof Date ? this[key].getTime() / 1000 : value;
    });
    return { status: 200, headers: { 'content-type': 'application/json', 'x-amzn-requestid': REQUEST_ID }, body };
  }
  const inner = shape === undefined ? '<return>true</return>' : xml(model, shape, output);
  const wrapper = operation.output?.resultWrapper ?? `${name}Result`;
  const body =
    model.protocol === 'ec2'
      ? `<${name}Response><requestId>${REQUEST_ID}</requestId>${inner}</${name}Response>`
      : `<${name}Response><${wrapper}>${inner}</${wrapper}><ResponseMetadata><RequestId>${REQUEST_ID}</RequestId></ResponseMetadata></${name}Response>`;
  return { status: 200, headers: { 'content-type': 'text/xml' }, body };
}

export function encodedError(protocol: Model['protocol'] | undefined, { code, message, status }: AwsError): Answer {
  if (protocol === 'ec2') {
    const body = `<Response><Errors><Error><Code>${code}</Code><Message>${escaped(message)}</Message></Error></Errors><RequestID>${REQUEST_ID}</RequestID></Response>`;
    return { status, headers: { 'content-type': 'text/xml' }, body };
  }
  if (protocol === 'query') {
    const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escaped(message)}</Message></Error><RequestId>${REQUEST_ID}</RequestId></ErrorResponse>`;
    return { status, headers: { 'content-type': 'text/xml' }, body };
  }
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': code },
    body: JSON.stringify({ message }),
  };
}

function escaped(value: unknown): string {
  const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' };
  return String(value).replace(/[<>&]/g, (letter) => entities[letter]!);
}

function xml(model: Model, name: string, value: unknown): string {
  const shape = model.shapes[name]!;
  switch (shape.type) {
    case 'structure':
      return Object.entries(shape.members ?? {})
        .map(([key, { locationName = key, shape: inner }]) => {
          const each = (value as Record<string, unknown>)[key];
          return each === undefined ? '' : `<${locationName}>${xml(model, inner, each)}</${locationName}>`;
        })
        .join('');
    case 'list': {
      const tag = shape.member!.locationName ?? (model.protocol === 'ec2' ? 'item' : 'member');
      return (value as unknown[]).map((each) => `<${tag}>${xml(model, shape.member!.shape, each)}</${tag}>`).join('');
    }
    case 'timestamp':
      return (value as Date).toISOString();
    default:
      return escaped(value);
  }
}
