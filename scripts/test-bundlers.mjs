// npm run test:bundlers: the built client through webpack, Vite and esbuild, in an edge runtime, beside the oldest and the newest
// tRPC that React takes, with React 18 and TypeScript 5.0; its front in Next.js. What that needs is installed in tests/bundlers by lockfiles of its own.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installApart } from './apart.mjs';
import { bootstrap, runNode, runScript, withSignals } from './bootstrap.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    for (const name of ['floor', 'newest'])
      await installApart(
        join(root, 'tests/bundlers', name),
        `the bundlers, with the ${name} of tRPC`,
        signal,
      );
    await installApart(join(root, 'tests/bundlers/next'), 'Next.js, for the front', signal);
    await installApart(join(root, 'tests/bundlers/react-18'), 'React 18', signal);
    await installApart(join(root, 'tests/bundlers/typescript-5.0'), 'TypeScript 5.0', signal);
    const files = process.argv.length > 2 ? process.argv.slice(2) : ['tests/bundlers'];
    return runNode(['scripts/test.mjs', ...files], { signal, env: { COMANDA_BUNDLERS: 'yes' } });
  }),
);
