/** JSON Schema, as much of it as our input needs: data that a caller passes on to a model. */
export interface InputSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

/** What a value may be. */
export interface ValueSchema {
  /** Absent where there are several possibilities. */
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly enum?: readonly (string | boolean)[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of an object without `properties`: what its values are. */
  readonly additionalProperties?: false | { readonly type: 'string' };
  /** Of an object with names of its own. */
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
  /** Of a list. */
  readonly items?: ValueSchema;
  readonly anyOf?: readonly ValueSchema[];
}

export interface FieldSchema extends ValueSchema {
  readonly description: string;
}
