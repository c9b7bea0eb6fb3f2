/** What a table has under a name that somebody else chose: `constructor` and the like are nobody's entry. */
export function ownProperty<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
