// npm run site: builds what the service serves at /docs, into docs/site/built, which is committed: the service needs
// neither the generator nor a build. `--check` builds aside and says which committed files differ.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, runScript, withSignals } from './bootstrap.mjs';
import { withSource } from './run-source.mjs';
import { installGenerator, runInSite, site } from './site/generator.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(site, 'built');

await runScript(() =>
  withSignals(async (signal) => {
    await bootstrap({ log: console.error, signal, bundles: [] });
    await installGenerator(signal);
    if (!process.argv.includes('--check')) {
      await build(built, signal);
      console.log(`wrote ${filesOf(built).length} files to docs/site/built`);
      return 0;
    }
    const aside = mkdtempSync(join(tmpdir(), 'comanda-site-'));
    try {
      await build(join(aside, 'built'), signal);
      return compare(join(aside, 'built'));
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  }),
);

async function build(target, signal) {
  const pages = join(site, 'pages');
  const beside = join(site, 'beside');
  await withSource('scripts/site/main.ts', ({ main }) => main(root, pages, beside));
  rmSync(target, { recursive: true, force: true });
  await runInSite(
    process.execPath,
    ['node_modules/vitepress/bin/vitepress.js', 'build', '--outDir', target],
    signal,
  );
  cpSync(beside, target, { recursive: true });
  cpSync(join(site, 'icon.svg'), join(target, 'icon.svg'));
}

function compare(fresh) {
  const names = [...new Set([...filesOf(fresh), ...filesOf(built)])].sort();
  const text = (folder, name) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
  const differing = names.filter((name) => text(fresh, name) !== text(built, name));
  for (const name of differing) console.error(`docs/site/built/${name} is not what npm run site makes`);
  console.log(`${names.length} files compared, ${differing.length} differ`);
  return differing.length === 0 ? 0 : 1;
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
