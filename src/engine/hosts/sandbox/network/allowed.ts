/** The port of a host that names none. */
const USUAL_PORTS = [80, 443];

/** Whether a host is on the list: its name in any case, and a port that the entry names or a usual one. */
export function isAllowed(list: readonly string[], { host, port }: { host: string; port: number }): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return list.some((entry) => {
    const [, pattern = '', number] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const isPort = number === undefined ? USUAL_PORTS.includes(port) : Number(number) === port;
    return isPort && (pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern);
  });
}

/** Addresses of this machine and of the machine below: a name on the list that leads there is a trick. */
export function isInner(address: string): boolean {
  return /^(?:127\.|0\.|169\.254\.|::1$|::$|fe80:|::ffff:(?:127\.|169\.254\.))/i.test(address);
}
