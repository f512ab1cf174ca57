import { createLog } from '@comanda/api/services';
import { readSettings, type Settings, SettingsError } from '@comanda/db';
import { routeConsole } from './console.ts';
import { type RunningWorker, startWorker } from './index.ts';

/** How the supervisor tells a mistake in the configuration from a crash: it does not try again. */
const exitConfiguration = 78;

/** After this long a stop is cut short, in milliseconds; what is unfinished is taken over by the next worker. */
const stopMs = 32_000;

try {
  await main(readSettings(process.env));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(exitConfiguration);
}

async function main(settings: Settings): Promise<void> {
  const { encryptionKey } = settings;
  // It listens and keeps locks of its session: a pooler in transaction mode is not for it.
  const databaseUrl = settings.databaseDirectUrl ?? settings.databaseUrl;
  if (databaseUrl === undefined) throw new SettingsError('DATABASE_URL: must be set');
  if (encryptionKey === undefined) throw new SettingsError('ENCRYPTION_KEY: must be set');
  routeConsole(createLog(settings.logLevel, 'worker'));
  const starting = new AbortController();
  let worker: RunningWorker | undefined;
  let stopping = false;

  const stop = () => {
    if (stopping) return;
    stopping = true;
    starting.abort();
    if (worker === undefined) process.exit(0);
    setTimeout(() => process.exit(0), stopMs).unref();
    worker.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The supervisor is gone: nobody else would stop this process.
  process.on('disconnect', stop);

  worker = await startWorker({ ...settings, databaseUrl, encryptionKey, signal: starting.signal });
  process.send?.({ ready: true });
}
