/** Input without the fields that are `null`, at any depth: for frameworks that check it before we do. */
export function withoutNulls(input: unknown): unknown {
  if (Array.isArray(input)) return input.map(withoutNulls);
  if (typeof input !== 'object' || input === null) return input;
  const fields = Object.entries(input).filter(([, value]) => value !== null);
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutNulls(value)]));
}
