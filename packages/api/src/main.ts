import cluster from 'node:cluster';
import {
  ownBuild,
  readSettings,
  type Settings,
  settingWarnings,
  strangeVariable,
  strangeVariables,
} from '@comanda/db';
import { createLog } from './call/log.ts';
import { superviseProcesses } from './processes/parent.ts';
import { refuse, serve } from './processes/serve.ts';

try {
  await main(readSettings(process.env));
} catch (error) {
  refuse(error);
}

/** One process serves by itself; of several, the first only looks after the others, which share its port. */
async function main(settings: Settings): Promise<void> {
  const log = createLog(settings.logLevel, 'api');
  if (cluster.isPrimary) log.info(ownBuild(), 'starting');
  // A parent has reported it already.
  if (process.send === undefined) {
    for (const each of strangeVariables(process.env)) log.warn(strangeVariable(each));
    for (const each of settingWarnings(settings)) log.warn(each);
  }
  if (cluster.isPrimary && settings.apiProcesses > 1) superviseProcesses(settings);
  else await serve(settings);
}
