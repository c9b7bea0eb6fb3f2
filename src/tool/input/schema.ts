/** JSON Schema, as much of it as our input needs: data that a caller passes on to a model. */
export interface InputSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

export interface FieldSchema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'object';
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  /** Of an object: what its values are. */
  readonly additionalProperties?: { readonly type: 'string' };
}
