import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

/** Below every system's range for outgoing connections, so that a kept port is still free next time. */
const firstPort = 20_000;
const portCount = 10_000;

/**
 * A free loopback port for a folder: `kept` when it is free, else one that starts from the folder's hash,
 * so that two clones do not try the same.
 * @throws {Error} when no port of the range is free.
 */
export async function choosePort(folder: string, kept: number | null): Promise<number> {
  if (kept !== null && (await isPortFree(kept))) return kept;
  const offset = createHash('sha256').update(folder).digest().readUInt32BE(0);
  for (let step = 0; step < portCount; step += 1) {
    const port = firstPort + ((offset + step) % portCount);
    if (port !== kept && (await isPortFree(port))) return port;
  }
  throw new Error(`no free port from ${firstPort} to ${firstPort + portCount - 1} for the embedded database`);
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: '127.0.0.1', port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
