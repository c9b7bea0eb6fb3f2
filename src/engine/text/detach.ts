/** A copy of its own: what was cut out of a text keeps all of that text alive. */
export function detach(text: string): string {
  return Buffer.from(text).toString();
}
