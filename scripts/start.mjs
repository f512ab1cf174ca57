// npm start: makes the clone runnable, then hands over to the supervisor (packages/supervisor/src/main.ts). An obstacle that would
// stop it in the end is reported before the wait: settings always, a taken port when packages have to be installed.

import { checkPort } from '../packages/db/src/processes/port.mjs';
import { fallbacks, faultIn } from '../packages/db/src/settings/forms.mjs';
import { bootstrap, InterruptedError, runScript, withSignals } from './bootstrap.mjs';

await runScript(() => withSignals(start));
// All our processes have been stopped by now, even if something still holds the event loop.
process.exit();

async function start(signal) {
  const [word] = process.argv.slice(2);
  if (word !== undefined)
    throw new Error(`npm start takes no ${word}; settings are variables, as in PORT=4000 npm start`);
  const fault = faultIn(process.env);
  if (fault !== undefined) throw new Error(fault);
  const { HOST, PORT } = process.env;
  try {
    await bootstrap({
      packages: 'run',
      log: (line) => console.log(`  … ${line}`),
      signal,
      beforeInstalling: () =>
        checkPort(HOST?.trim() || fallbacks.HOST, Number(PORT?.trim() || fallbacks.PORT)),
    });
  } catch (error) {
    if (error instanceof InterruptedError) return 0;
    throw error;
  }
  const { main } = await import('../dist/start.js');
  return main(signal);
}
