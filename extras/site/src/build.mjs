// Builds the documents' site. dist/sites has a folder for each build, named after its inputs; dist/site is a link to the
// newest, replaced in one step: what serves it reads one build or the other.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runApart } from '../../../scripts/apart.mjs';
import { withSource } from '../../../scripts/run-source.mjs';
import { hasGenerator, installGenerator, site } from './generator.mjs';
import { isAlive, withBuildLock } from './lock.mjs';

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const builds = join(root, 'dist/sites');
const drafts = join(root, 'dist');
const draftPrefix = '.site-draft-';
/** The link that is served (packages/api/src/documents/site-files.ts). */
const current = join(root, 'dist/site');

/**
 * Makes dist/site the site of today's sources: builds it, unless it is there. Never builds twice at once.
 * `install: false` leaves a missing generator missing: then a site of other sources is no longer served.
 * @param {{ signal?: AbortSignal, install?: boolean }} [options]
 * @returns {Promise<'built' | 'kept' | 'no generator'>}
 * @throws {Error} with what the generator printed.
 */
export async function buildSite({ signal, install = true } = {}) {
  if (!install && !hasGenerator() && !existsSync(current)) return 'no generator';
  return withBuildLock(builds, signal, async () => {
    removeLeftOvers();
    const draft = draftFolder();
    try {
      const name = await writeSources(draft);
      if (existsSync(join(builds, name))) {
        publish(name);
        return 'kept';
      }
      if (!install && !hasGenerator()) {
        rmSync(current, { force: true });
        return 'no generator';
      }
      await installGenerator(signal);
      await generate(draft, signal);
      renameSync(join(draft, 'out'), join(builds, name));
      publish(name);
      return 'built';
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  });
}

/**
 * Builds today's sources aside and gives the names of the files that differ from dist/site: the same sources give the same bytes.
 * @param {AbortSignal} [signal]
 */
export async function differingFiles(signal) {
  const draft = draftFolder();
  try {
    await writeSources(draft);
    await generate(draft, signal);
    const fresh = join(draft, 'out');
    const names = [...new Set([...filesOf(fresh), ...filesOf(current)])].sort();
    const text = (folder, name) =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined;
    return {
      compared: names.length,
      differing: names.filter((name) => text(fresh, name) !== text(current, name)),
    };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** How many files the site has. */
export const siteSize = () => filesOf(current).length;

function draftFolder() {
  const draft = join(drafts, `${draftPrefix}${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  return draft;
}

/** Writes all that the generator reads into the draft; gives the name of a build of it. */
async function writeSources(draft) {
  const [pages, beside] = [join(draft, 'pages'), join(draft, 'beside')];
  await withSource('extras/site/src/main.ts', ({ main }) => main(root, pages, beside));
  cpSync(join(site, '.vitepress'), join(draft, '.vitepress'), {
    recursive: true,
    filter: (path) => !/\/\.vitepress\/(cache|\.temp)$/.test(path),
  });
  cpSync(join(root, 'docs/site/icon.svg'), join(draft, 'icon.svg'));
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(site, name), join(draft, name));
  const hash = createHash('sha256');
  // Beside the draft: this file, and what the theme imports of the API.
  for (const path of [fileURLToPath(import.meta.url), join(root, 'packages/api/src/examples.ts')])
    hash.update(readFileSync(path));
  for (const name of filesOf(draft).sort()) {
    const text = readFileSync(join(draft, name), 'utf8');
    hash.update(`\0${name}\0`).update(text);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Runs the generator on a draft, into its folder `out`. Nothing is written into extras/site/generator. */
async function generate(draft, signal) {
  symlinkSync(join(site, 'node_modules'), join(draft, 'node_modules'));
  const out = join(draft, 'out');
  await runApart(
    draft,
    process.execPath,
    ['node_modules/vitepress/bin/vitepress.js', 'build', '--outDir', out],
    signal,
  );
  cpSync(join(draft, 'beside'), out, { recursive: true });
  cpSync(join(draft, 'icon.svg'), join(out, 'icon.svg'));
}

/** Serves a build from now on. The one before stays: a server may still read of it. */
function publish(name) {
  const before = builtBefore();
  if (before === name) return;
  const link = `${current}.${process.pid}`;
  rmSync(link, { force: true });
  symlinkSync(join('sites', name), link);
  renameSync(link, current);
  for (const each of readdirSync(builds))
    if (!each.startsWith('.') && each !== name && each !== before)
      rmSync(join(builds, each), { recursive: true, force: true });
}

function builtBefore() {
  try {
    return basename(readlinkSync(current));
  } catch {
    return undefined;
  }
}

/** Drafts of builds that were killed. */
function removeLeftOvers() {
  for (const name of readdirSync(drafts)) {
    if (name.startsWith(draftPrefix) && !isAlive(Number(name.slice(draftPrefix.length))))
      rmSync(join(drafts, name), { recursive: true, force: true });
  }
}

function filesOf(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}
