import cluster from 'node:cluster';
import { readSettings, type Settings } from '@comanda/db';
import { superviseProcesses } from './processes/primary.ts';
import { refuse, serve } from './processes/serve.ts';

try {
  await main(readSettings(process.env));
} catch (error) {
  refuse(error);
}

/** One process serves by itself; of several, the first only looks after the others, which share its port. */
async function main(settings: Settings): Promise<void> {
  if (cluster.isPrimary && settings.apiProcesses > 1) superviseProcesses(settings);
  else await serve(settings);
}
