// npm run build: every bundle, whether or not something changed.
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { build, groups } from './build.mjs';

await runScript(async () => {
  await withSignals((signal) => bootstrap({ log: console.error, signal, bundles: [] }));
  for (const [group, bundles] of Object.entries(groups)) {
    await build(group);
    for (const [name, path] of Object.entries(bundles))
      console.log(`${group === 'app' ? 'dist/app' : `dist/${name}.js`}  ${path}`);
  }
  return 0;
});
