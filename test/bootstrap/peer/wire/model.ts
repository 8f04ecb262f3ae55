/** A service model as botocore has it, as far as the peer reads it. */
export interface Member {
  readonly shape: string;
  readonly location?: 'uri' | 'querystring' | 'header';
  readonly locationName?: string;
  readonly queryName?: string;
}

export interface Shape {
  readonly type: string;
  readonly required?: readonly string[];
  readonly members?: Readonly<Record<string, Member>>;
  readonly member?: Member;
  readonly key?: Member;
  readonly value?: Member;
  readonly flattened?: boolean;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly min?: number;
  readonly max?: number;
}

export interface Operation {
  readonly name: string;
  readonly http: { readonly method: string; readonly requestUri: string };
  readonly input?: Member;
  readonly output?: Member & { readonly resultWrapper?: string };
}

export interface Model {
  readonly protocol: 'rest-json' | 'ec2' | 'query';
  readonly operations: Readonly<Record<string, Operation>>;
  readonly shapes: Readonly<Record<string, Shape>>;
}

export type Json = Readonly<Record<string, unknown>>;
