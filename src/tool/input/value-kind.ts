import type { ValueSchema } from './schema.ts';

/** Whether a value is of this kind at all, whatever is inside it. */
export function isOfKind(value: unknown, schema: ValueSchema): boolean {
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return typeof value === schema.type && isListed(value, schema);
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value) && isWithin(value as number, schema);
    case 'number':
      // NaN and the like are clamped later: what came as a number is taken as one.
      return typeof value === 'number' && isWithin(value, schema);
    default:
      return schema.anyOf?.some((each) => isOfKind(value, each)) ?? false;
  }
}

/** What a field takes, as an error says it. */
export function renderKind(schema: ValueSchema | undefined): string {
  if (schema?.enum !== undefined) return renderChoices(schema.enum);
  switch (schema?.type) {
    case 'integer':
      return `a whole number${renderBounds(schema)}`;
    case 'number':
      return `a number${renderBounds(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'object':
      return schema.properties === undefined
        ? 'an object of names and texts'
        : `an object with ${Object.keys(schema.properties).join(', ')}`;
    case 'array':
      return 'a list of texts';
    default:
      return schema?.anyOf?.map(renderKind).join(' or ') ?? 'text';
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListed(value: unknown, { enum: listed }: ValueSchema): boolean {
  return listed?.some((each) => each === value) ?? true;
}

function isWithin(value: number, { minimum, maximum }: ValueSchema): boolean {
  return !(minimum !== undefined && !(value >= minimum)) && !(maximum !== undefined && !(value <= maximum));
}

function renderBounds({ minimum, maximum }: ValueSchema): string {
  return (minimum === undefined ? '' : ` from ${minimum}`) + (maximum === undefined ? '' : ` to ${maximum}`);
}

function renderChoices(choices: readonly (string | boolean)[]): string {
  const words = choices.map((value) => JSON.stringify(value)).join(', ');
  return choices.length === 1 ? words : `one of ${words}`;
}
