import cluster, { type Worker } from 'node:cluster';
import type { Settings } from '@comanda/db';
import { createLog } from '../request/log.ts';
import type { FromProcess } from './messages.ts';
import { exchangeMetrics } from './metrics-exchange.ts';
import { exitConfiguration } from './serve.ts';

const firstBackoffMs = 200;
const longestBackoffMs = 5_000;
/** A life this long counts as healthy: the next death is mended at once again. */
const healthyLifeMs = 30_000;
/** Later than the processes cut themselves short, and before the supervisor kills this one. */
const stopMs = 32_200;

/**
 * Runs `apiProcesses` serving processes behind one port, without a database of its own. Starts those that die
 * again, passes a stop on and waits for all, and says that it is ready once all are. Ends with the code of a
 * process that refuses its settings, or dies before all were ready: the supervisor knows what to do.
 */
export function superviseProcesses({ apiProcesses, logLevel }: Settings): void {
  const log = createLog(logLevel, 'api');
  const living = new Map<number, Worker>();
  const ready = new Set<number>();
  const metrics = exchangeMetrics(() => [...living.values()]);
  let wasReady = false;
  let deaths = 0;
  let stopping = false;
  let code = 0;

  // Every process accepts for itself. Handed over by this one, a connection whose process is killed before it takes it
  // stays open and unanswered for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const start = () => {
    if (stopping) return;
    const began = performance.now();
    const worker = cluster.fork();
    living.set(worker.id, worker);
    worker.on('message', (message: FromProcess) => {
      if ('ready' in message) becomeReady(worker, message.url);
      else metrics.take(worker, message);
    });
    worker.on('error', (error) => log.warn({ err: error }, 'an API process'));
    worker.on('exit', (exitCode, signal) => {
      living.delete(worker.id);
      ready.delete(worker.id);
      metrics.ended(worker);
      ended(performance.now() - began, exitCode, signal);
    });
  };
  const becomeReady = (worker: Worker, url: string) => {
    ready.add(worker.id);
    if (wasReady || ready.size < apiProcesses) return;
    wasReady = true;
    log.info({ url, processes: apiProcesses }, 'ready');
    process.send?.({ ready: true, url });
  };
  const ended = (livedMs: number, exitCode: number | null, signal: string | null) => {
    if (stopping) {
      if (exitCode !== 0) code ||= 1;
      if (living.size === 0) process.exit(code);
      return;
    }
    if (exitCode === exitConfiguration || !wasReady) return stop(exitCode || 1);
    deaths = livedMs > healthyLifeMs ? 1 : deaths + 1;
    const waitMs = Math.min(firstBackoffMs * 2 ** (deaths - 1), longestBackoffMs);
    log.warn({ reason: signal ?? exitCode, waitMs }, 'an API process died and is started again');
    setTimeout(start, waitMs);
  };
  const stop = (exitCode: number) => {
    if (stopping) return;
    stopping = true;
    code = exitCode;
    log.info('draining');
    if (living.size === 0) process.exit(code);
    for (const worker of living.values()) worker.process.kill('SIGTERM');
    setTimeout(() => {
      for (const worker of living.values()) worker.process.kill('SIGKILL');
    }, stopMs);
  };
  for (let n = 0; n < apiProcesses; n += 1) start();
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  // The supervisor is gone: nobody else would stop these processes.
  process.on('disconnect', () => stop(0));
}
