// npm run dev: npm start that builds again what an edit touches, applies edited SQL, and restarts the API or the worker when
// theirs changed.
import { watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { bundleOptions, extraGroups, writeGroup } from './build.mjs';
import { writeBuildInfo } from './build-info.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** The bundles of scripts/build.mjs that a start needs. The API serves those that are no process themselves. */
const groups = ['service', 'app', ...extraGroups];
const sources = [
  ...['api', 'app', 'client', 'db', 'worker'].map((name) => `packages/${name}/src`),
  ...extraGroups.map((name) => `extras/${name}`),
];
const sql = 'prisma/sql';
/** An editor writes several files, or one several times: they are one edit. */
const settledMs = 60;

await runScript(() => withSignals(dev));
process.exit();

async function dev(signal) {
  await bootstrap({ packages: 'run', log: report, signal, bundles: groups });
  const { context } = await import('esbuild');
  const builders = new Map();
  for (const group of groups) builders.set(group, await context(bundleOptions(group)));
  const onStarted = followEdits(builders, signal);
  const { main } = await import('../dist/start.js');
  const code = await main(signal, onStarted);
  for (const builder of builders.values()) await builder.dispose();
  return code;
}

/**
 * Watches the sources. The returned function is called with the running service: until then edits are built, and
 * nothing is restarted.
 */
function followEdits(builders, signal) {
  /** @type {import('../packages/supervisor/src/main.ts').Started | undefined} */
  let started;
  const edited = new Set();
  const toRestart = new Set();
  let timer;
  let working = Promise.resolve();

  const follow = async () => {
    if (edited.delete('sources')) for (const name of await rebuild(builders)) toRestart.add(name);
    if (signal.aborted || started === undefined) return;
    try {
      if (edited.has(sql)) await started.applySql();
      edited.delete(sql);
    } catch (error) {
      // A process that starts now would refuse this database.
      console.error(`  … SQL not applied, and nothing is restarted until it is: ${error.message}`);
      return;
    }
    for (const name of toRestart) started.restart(name);
    toRestart.clear();
  };
  const settle = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(follow);
    }, settledMs);
  };
  const watchFolder = (folder, kind) =>
    watch(join(root, folder), { recursive: true, signal }, () => {
      edited.add(kind);
      settle();
    });
  for (const folder of sources) watchFolder(folder, 'sources');
  watchFolder(sql, sql);
  return (running) => {
    started = running;
    settle();
  };
}

/** Builds what an edit may have changed; the names of the processes that have to be started again. */
async function rebuild(builders) {
  const names = new Set();
  for (const [group, builder] of builders) {
    try {
      const began = performance.now();
      const changed = writeGroup(group, await builder.rebuild());
      const bundles = changed.filter((path) => path.endsWith('.js')).map((path) => basename(path, '.js'));
      const built = group === 'service' ? bundles : changed.length > 0 ? [group] : [];
      if (built.length > 0) report(`built ${built.join(', ')} (${Math.round(performance.now() - began)} ms)`);
      for (const name of built) names.add(group === 'service' ? name : 'api');
    } catch (error) {
      console.error(`  … not built: ${error.message}`);
    }
  }
  writeBuildInfo(root);
  return names;
}

function report(line) {
  console.log(`  … ${line}`);
}
