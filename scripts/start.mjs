// npm start: makes the clone runnable, then hands over to the supervisor (scripts/supervisor/main.ts).
import { bootstrap, InterruptedError, runScript, withSignals } from './bootstrap.mjs';

await runScript(() => withSignals(start));
// Whatever still holds the event loop, everything of ours has been stopped by now.
process.exit();

async function start(signal) {
  try {
    await bootstrap({ log: (line) => console.log(`  … ${line}`), signal });
  } catch (error) {
    if (error instanceof InterruptedError) return 0;
    throw error;
  }
  const { main } = await import('../dist/start.js');
  return main(signal);
}
