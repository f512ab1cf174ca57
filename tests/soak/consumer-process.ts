import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import type { ConsumerOrders } from './consumer.ts';

/** The consumer of the soak, over all its lives. */
export interface ConsumerProcess {
  pid(): number;
  /** The URL to register for an endpoint; the same in every life. */
  hookUrl(name: string): string;
  useSecret(name: string, secret: string): void;
  /** From now on it refuses and dawdles. */
  beFussy(): void;
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts it on a free loopback port; what arrives goes into the file `journal`. */
export async function startConsumerProcess(journal: string): Promise<ConsumerProcess> {
  const orders: ConsumerOrders = { secrets: {}, fussy: false };
  let port = 0;
  let child: ChildProcess | undefined;

  const start = async () => {
    const started = spawn(
      process.execPath,
      [join(repositoryRoot, 'dist', 'soak-consumer.js'), String(port), journal],
      { cwd: repositoryRoot, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true },
    );
    child = started;
    started.send(orders);
    const [ready]: { port: number }[] = await once(started, 'message');
    port = ready?.port ?? 0;
  };
  await start();
  return {
    pid: () => child?.pid ?? 0,
    hookUrl: (name) => `http://127.0.0.1:${port}/hook/${name}`,
    useSecret(name, secret) {
      orders.secrets[name] = secret;
      child?.send(orders);
    },
    beFussy() {
      orders.fussy = true;
      child?.send(orders);
    },
    start,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
