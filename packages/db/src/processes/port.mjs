// Looks at ports. Plain JavaScript without dependencies: npm start looks at its port before anything is installed.
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const patienceMs = 1_500;

/**
 * Makes sure that the API can listen; waits a moment for a process that is just closing the port.
 * @param {string} host
 * @param {number} port
 * @throws {Error} naming PORT or HOST.
 */
export async function checkPort(host, port) {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const code = await tryListening(host, port);
    if (code === null) return;
    if (code === 'EADDRINUSE' && Date.now() < deadline) {
      await sleep(100);
      continue;
    }
    throw new Error(explain(code, host, port));
  }
}

/**
 * `preferred` when it is free on the loopback address, else any free port.
 * @param {number} preferred
 * @returns {Promise<number>}
 */
export async function freePort(preferred) {
  if ((await tryListening('127.0.0.1', preferred)) === null) return preferred;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : preferred));
    });
  });
}

/** The error code that listening gives; null when it works. */
function tryListening(host, port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(error.code ?? error.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(null)));
  });
}

function explain(code, host, port) {
  if (code === 'EADDRINUSE') {
    return `PORT: ${port} on ${host} is taken by another program; choose a free one, like: PORT=${port < 65_436 ? port + 100 : port - 100} npm start`;
  }
  if (code === 'EACCES') return `PORT: this user may not listen on ${port}; choose one above 1023`;
  return `HOST: cannot listen on ${host} (${code})`;
}
