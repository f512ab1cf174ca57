import { createLog } from '@comanda/api/services';
import {
  configurationExitCode,
  ownBuild,
  readSettings,
  reportDatabaseSettings,
  reportServing,
  type Settings,
  SettingsError,
  settingWarnings,
  stoppingIn,
  strangeVariable,
  strangeVariables,
} from '@comanda/db';
import { note } from '@comanda/db/terminal';
import { routeConsole } from './console.ts';
import { type RunningWorker, startWorker } from './index.ts';

try {
  await main(readSettings(process.env));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  note(error.message);
  process.exit(configurationExitCode);
}

async function main(settings: Settings): Promise<void> {
  const { encryptionKey } = settings;
  // It listens and keeps locks of its session: a pooler in transaction mode is not for it.
  const databaseUrl = settings.databaseDirectUrl ?? settings.databaseUrl;
  if (databaseUrl === undefined) throw new SettingsError('DATABASE_URL: must be set');
  if (encryptionKey === undefined) throw new SettingsError('ENCRYPTION_KEY: must be set');
  const log = createLog(settings.logLevel, 'worker');
  routeConsole(log);
  log.info(ownBuild(), 'starting');
  // A parent has reported it already.
  if (process.send === undefined) {
    for (const each of strangeVariables(process.env)) log.warn(strangeVariable(each));
    for (const each of settingWarnings(settings)) log.warn(each);
  }
  const starting = new AbortController();
  let worker: RunningWorker | undefined;
  let isStopping = false;

  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    starting.abort();
    if (worker === undefined) process.exit(0);
    // Unfinished work is taken over by the next worker.
    setTimeout(() => process.exit(0), stoppingIn(settings.drainSeconds).processMs).unref();
    worker.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The supervisor is gone: no other process would stop this one.
  process.on('disconnect', stop);

  worker = await startWorker({ ...settings, databaseUrl, encryptionKey, signal: starting.signal });
  process.send?.({ ready: true });
  void reportDatabaseSettings(settings, (line) => log.warn(line));
  reportServing((error) => log.warn({ err: error }, 'systemd was not notified'));
}
