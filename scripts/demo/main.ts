import { createLocation, issueKey } from '@comanda/api/services';
import { openDatabase, readSettings } from '@comanda/db';
import { embeddedUrl } from '@comanda/embedded';
import { runMainJob } from './main-job.ts';

/**
 * `npm run demo`: the main job against the running server (`COMANDA_URL`, or this machine's `PORT`), in a location
 * of its own, so that it can be run again and again. Returns the exit code.
 */
export async function main(): Promise<number> {
  const settings = readSettings(process.env);
  const databaseUrl = settings.databaseUrl ?? (await embeddedUrl(settings.dataDir));
  if (databaseUrl === null) {
    process.stderr.write('demo: no database is running; start the service with npm start first\n');
    return 1;
  }
  const baseUrl = process.env.COMANDA_URL ?? `http://127.0.0.1:${settings.port}`;
  let step = 0;
  const print = (title: string, output?: unknown) => {
    process.stdout.write(`\n${++step}. ${title}\n`);
    if (output !== undefined) process.stdout.write(`${indent(output)}\n`);
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
    process.stdout.write(good ? '\nThe main job works.\n' : '\nThe main job FAILED.\n');
    return good ? 0 : 1;
  } catch (error) {
    process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  } finally {
    await database.close();
  }
}

function indent(output: unknown): string {
  const lines = Array.isArray(output) ? output.map(String) : JSON.stringify(output, null, 2).split('\n');
  return lines.map((line) => `   ${line}`).join('\n');
}
