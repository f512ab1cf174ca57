// npm run build: every bundle, whether or not something changed.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { build, GROUPS } from './build.mjs';

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: [] }));
  for (const [group, bundles] of Object.entries(GROUPS)) {
    await build(group);
    for (const [name, path] of Object.entries(bundles)) console.log(`dist/${name}.js  ${path}`);
  }
  return 0;
});
