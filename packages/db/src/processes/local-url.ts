/** Where a person on this machine reaches what listens on a host and a port. */
export function localUrl({ host, port }: { host: string; port: number }): string {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`;
}
