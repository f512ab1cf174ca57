import { createLocation, issueKey } from '@comanda/api/services';
import { openDatabase, readSettings } from '@comanda/db';
import { complain, say } from '@comanda/db/terminal';
import { embeddedServiceUrl, embeddedUrl } from '@comanda/embedded';
import { runMainJob } from './main-job.ts';

/**
 * `npm run demo`: the main job against the running server (`COMANDA_URL`; else what `npm start` runs here, or this
 * machine's `PORT`), in a location of its own, so that it can be run again and again. Returns the exit code.
 */
export async function main(): Promise<number> {
  const settings = readSettings(process.env);
  const databaseUrl = settings.databaseUrl ?? (await embeddedUrl(settings.dataDir));
  if (databaseUrl === null) {
    complain('demo', 'no database is running; start the service with npm start first');
    return 1;
  }
  const started = settings.databaseUrl === undefined ? embeddedServiceUrl(settings.dataDir) : null;
  const baseUrl = process.env.COMANDA_URL ?? started ?? `http://127.0.0.1:${settings.port}`;
  if (!(await answers(baseUrl))) {
    complain(
      'demo',
      `nothing answers at ${baseUrl}/readyz; start the service with npm start, or say where it is: COMANDA_URL=http://host:port npm run demo`,
    );
    return 1;
  }
  let step = 0;
  const print = (title: string, output?: unknown) => {
    say(['', `${++step}. ${title}`]);
    if (output !== undefined) say(indent(output));
  };
  const database = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: 'comanda-demo' });
  try {
    const location = await createLocation(database, {
      name: 'Demo of the main job',
      timezone: 'UTC',
      currency: 'USD',
    });
    const issued = await issueKey(database, {
      name: 'demo of the main job',
      permissions: ['*'],
      location_id: location.id,
    });
    print('Made a location and a key', {
      location_id: location.id,
      key: `${issued.prefix}…`,
      permissions: issued.permissions,
    });
    const result = await runMainJob({ baseUrl, key: issued.key, print });
    const good = result.replayed && result.allVerified && result.jobStatus === 'completed';
    say(['', good ? 'The main job works.' : 'The main job FAILED.']);
    return good ? 0 : 1;
  } catch (error) {
    complain('demo', error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    await database.close();
  }
}

/** Whether requests are served there; asked before anything is made. */
async function answers(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(new URL('/readyz', baseUrl), { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}

function indent(output: unknown): string[] {
  const lines = Array.isArray(output) ? output.map(String) : JSON.stringify(output, null, 2).split('\n');
  return lines.map((line) => `   ${line}`);
}
