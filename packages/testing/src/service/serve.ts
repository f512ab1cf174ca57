import { randomBytes } from 'node:crypto';
import { createApp, startServer } from '@comanda/api';
import { startWorker } from '@comanda/worker';
import type { Asked, Reply } from '../messages.ts';
import { age } from './age.ts';
import { makeLocation } from './make-location.ts';
import { sentence } from './sentence.ts';

/** The running service: its address, and how it ends. */
export interface Serving {
  url: string;
  /** In the order in which it was started. */
  endings: (() => Promise<unknown>)[];
}

/** Starts API and worker on a prepared database, and does what the test's process asks for. */
export async function serve(
  { url: databaseUrl, ownerUrl }: { url: string; ownerUrl: string },
  send: (reply: Reply) => void,
): Promise<Serving> {
  const shared = {
    databaseUrl,
    encryptionKey: randomBytes(32).toString('base64'),
    // Receivers of tests listen on loopback.
    webhookTargets: 'any' as const,
    webhookAllowCidrs: [],
    logLevel: 'silent' as const,
  };
  const [app, worker] = await Promise.all([
    createApp({ ...shared, idempotencyTtlHours: 168 }),
    startWorker({ ...shared, webhookTimeoutMs: 5_000, webhookRetryDelaysSeconds: [0.2, 0.2, 0.2, 0.2] }),
  ]);
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  const work = {
    newLocation: ({ input }: Extract<Asked, { name: 'newLocation' }>) => makeLocation(app.database, input),
    age: ({ input }: Extract<Asked, { name: 'age' }>) => age(ownerUrl, input),
  };
  process.on('message', (asked: Asked) => {
    const { number } = asked;
    const done = asked.name === 'newLocation' ? work.newLocation(asked) : work.age(asked);
    done.then(
      (output) => send({ number, output }),
      (error: unknown) => send({ number, error: sentence(error) }),
    );
  });
  // The waits of a first location: connections, and the plans of its statements.
  await makeLocation(app.database, { name: 'The first' });
  return { url: server.url, endings: [() => app.close(), () => worker.stop(), () => server.drain(500)] };
}
