/** Looks up an own property of a table, so that `constructor` is not found on the prototype. */
export function ownProperty<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
