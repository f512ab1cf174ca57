// npm run check: format, lint and types of the whole repository; no database.
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';
import { checkTypes } from './compiler.mjs';

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    const codes = await Promise.all([
      runNode(['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'], { signal }),
      runNode(checkTypes('tsconfig.json'), { signal }),
      // Apart: what runs in a browser has its names, and what does not has not.
      runNode(checkTypes('packages/app/tsconfig.json'), { signal }),
    ]);
    return codes.some((code) => code !== 0) ? 1 : 0;
  }),
);
