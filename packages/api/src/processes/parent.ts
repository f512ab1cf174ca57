import cluster, { type Worker } from 'node:cluster';
import {
  configurationExitCode,
  reportServing,
  restarting,
  type Settings,
  startLoop,
  stoppingIn,
} from '@comanda/db';
import { createLog } from '../call/log.ts';
import { doctorMetrics } from '../doctor/metrics.ts';
import type { FromProcess } from './messages.ts';
import { exchangeMetrics } from './metrics-exchange.ts';

/**
 * Runs `apiProcesses` serving processes behind one port, without a database of its own except for the checks of doctor.
 * Restarts those that die, passes a stop on and waits for all, and says that it is ready once all are. Ends with the
 * code of a process that refuses its settings, or dies before all were ready: the supervisor reacts to it.
 */
export function superviseProcesses({ apiProcesses, logLevel, drainSeconds }: Settings): void {
  const log = createLog(logLevel, 'api');
  const living = new Map<number, Worker>();
  const ready = new Set<number>();
  const metrics = exchangeMetrics(() => [...living.values()], doctorMetrics(process.env));
  let wasReady = false;
  let isStopping = false;
  let code = 0;

  // Every process accepts for itself. Handed over by this one, a connection whose process is killed before it takes it
  // stays open and unanswered for ever.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  /** Serves for the life of a process; throws how it died. */
  const serve = () =>
    new Promise<undefined>((resolve, reject) => {
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
        if (isStopping) {
          if (exitCode !== 0) code ||= 1;
          resolve(undefined);
        } else if (exitCode === configurationExitCode || !wasReady) {
          stop(exitCode || 1);
          resolve(undefined);
        } else reject(new Error(`it died: ${signal ?? exitCode}`));
      });
    });
  const becomeReady = (worker: Worker, url: string) => {
    ready.add(worker.id);
    if (wasReady || ready.size < apiProcesses) return;
    wasReady = true;
    log.info({ url, processes: apiProcesses }, 'ready');
    process.send?.({ ready: true, url });
    reportServing((error) => log.warn({ err: error }, 'systemd was not notified'));
  };
  const stop = (exitCode: number) => {
    if (isStopping) return;
    isStopping = true;
    code = exitCode;
    log.info('draining');
    void Promise.all(loops.map((loop) => loop.stop())).then(() => process.exit(code));
    for (const worker of living.values()) worker.process.kill('SIGTERM');
    setTimeout(() => {
      for (const worker of living.values()) worker.process.kill('SIGKILL');
    }, stoppingIn(drainSeconds).siblingsMs);
  };
  const loops = Array.from({ length: apiProcesses }, () =>
    startLoop({
      round: serve,
      backoff: restarting,
      failed: (error, { afterMs }) =>
        log.warn({ err: error, waitMs: afterMs }, 'an API process died and is started again'),
    }),
  );
  process.on('SIGTERM', () => stop(0));
  process.on('SIGINT', () => stop(0));
  // The supervisor is gone: no other process would stop these.
  process.on('disconnect', () => stop(0));
}
