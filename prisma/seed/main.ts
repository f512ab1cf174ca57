// The demo data of npm start, in a process of its own, so that the supervisor keeps nothing of what this loads. Reads the
// settings of the service, with the URL of the owner; writes the key and the code to standard output as JSON.
import { readSettings } from '@comanda/db/configuring';
import { note, sayRecords } from '@comanda/db/terminal';
import { seedDemo } from '../seed.ts';

try {
  const { databaseUrl = '', dataDir, app } = readSettings(process.env);
  sayRecords(JSON.stringify(await seedDemo({ databaseUrl, dataDir, app: app === 'on' })));
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
