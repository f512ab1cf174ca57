// npm run release -- <version> [--apply] [--no-checks] [--next VERSION] [--out FOLDER]: the steps of a release (CONTRIBUTING), in a clean clone of
// HEAD. Without --apply this repository stays as it is; with it, it gets the two commits and the tag of that clone.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand, runScript, withSignals } from '../../scripts/bootstrap.mjs';
import { archive, digestsOf, writeChecksums, writeProvenance } from './src/artifacts.mjs';
import {
  changelogAfter,
  changelogOf,
  isLater,
  manifestOf,
  numbersOf,
  releasesOf,
  upgradesOf,
  versionAfter,
} from './src/texts.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The manifests that have the version of a release: that of the service, and that of the downloads. */
const versioned = ['package.json', 'extras/integrator/package.json'];

const usage = 'npm run release -- <version> [--apply] [--no-checks] [--next VERSION] [--out FOLDER]';

await runScript(async () => {
  const { values, positionals } = parseArgs({
    options: {
      apply: { type: 'boolean', default: false },
      'no-checks': { type: 'boolean', default: false },
      next: { type: 'string' },
      out: { type: 'string' },
    },
    allowPositionals: true,
  });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new Error(usage);
  const { apply, 'no-checks': unchecked, next = versionAfter(version) } = values;
  if (apply && unchecked) throw new Error('--apply: a release that is not checked is not made');
  const out = resolve(values.out ?? join(root, 'dist', 'releases', version));
  const changelog = mayBeReleased(version, next, out);

  const folder = mkdtempSync(join(tmpdir(), 'comanda-release-'));
  try {
    await withSignals(async (signal) => {
      const clone = cloneOf(join(folder, 'comanda'));
      const run = (words, env) =>
        must('npm', ['run', '-s', ...words], { signal, cwd: clone, env, stdio: 'inherit' });
      const began = new Date();
      const day = began.toISOString().slice(0, 10);

      step(`version ${version}, dated ${day}`);
      for (const file of versioned) edit(clone, file, (text) => manifestOf(text, version));
      edit(clone, 'CHANGELOG.md', () => changelogOf(changelog, version, day));
      await made(run);
      const commit = commitAll(clone, `Release ${version}`);
      git(clone, 'tag', '--annotate', `v${version}`, '--message', `Comanda ${version}`);

      if (unchecked) step('no checks, by --no-checks');
      else {
        step('checks: .ci/run --all');
        await must(join(clone, '.ci/run'), ['--all'], { signal, cwd: clone, stdio: 'inherit' });
      }

      step(`packages, checksums, bill of materials, provenance: ${out}`);
      mkdirSync(out, { recursive: true });
      const service = join(folder, `comanda-${version}`);
      await run(['package', '--', '--out', service]);
      await run(['sbom', '--', '--package', service, '--out', join(out, `comanda-${version}.cdx.json`)]);
      const seconds = Number(git(clone, 'log', '-1', '--format=%ct'));
      await must('mv', [await archive(service, { seconds, signal }), out], { signal });
      await run(['client:pack', '--', '--out', out]);
      writeProvenance(out, {
        version,
        commit,
        began,
        checks: unchecked ? 'none' : '.ci/run',
        source: sourceOf(),
        lockfile: join(clone, 'pnpm-lock.yaml'),
      });
      writeChecksums(out);
      for (const { name } of digestsOf(out))
        console.log(`  ${name} (${Math.ceil(statSync(join(out, name)).size / 1024)} kB)`);

      step(`next: ${next}, upgraded from ${version}`);
      for (const file of versioned) edit(clone, file, (text) => manifestOf(text, next));
      edit(clone, 'CHANGELOG.md', (text) => changelogAfter(text, next, day));
      edit(clone, 'tests/upgrade/releases.ts', (text) => releasesOf(text, version, commit));
      edit(clone, 'docs/operations/upgrades.md', (text) => upgradesOf(text, { version, commit }, next));
      await made(run);
      commitAll(clone, `Begin ${next}`);

      if (!apply) {
        step(
          `dry run: this repository is as it was; with --apply it gets two commits and the tag v${version}`,
        );
        return;
      }
      git(root, 'fetch', '--quiet', clone, 'HEAD', `refs/tags/v${version}:refs/tags/v${version}`);
      git(root, 'merge', '--quiet', '--ff-only', git(clone, 'rev-parse', 'HEAD'));
      step(`done. Push with: git push --follow-tags. Sign ${join(out, 'SHA256SUMS')} with your key.`);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return 0;
});

/** Throws {Error} with the reason where this tree cannot become that release; gives its changelog. */
function mayBeReleased(version, next, out) {
  numbersOf(version);
  if (!isLater(next, version)) throw new Error(`--next: ${next} does not come after ${version}`);
  if (existsSync(out)) throw new Error(`${out} is there: remove it, or choose another folder with --out`);
  if (git(root, 'status', '--porcelain') !== '')
    throw new Error('the work tree has changes that are not committed');
  const released = git(root, 'tag', '--list', 'v*')
    .split('\n')
    .filter((tag) => /^v\d+\.\d+\.\d+$/.test(tag));
  for (const tag of released)
    if (!isLater(version, tag.slice(1)))
      throw new Error(`${version} does not come after ${tag}, which is released`);
  const { status } = spawnSync('tar', ['--sort=name', '--version']);
  if (status !== 0) throw new Error('GNU tar is needed: the archive would differ from run to run');
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  changelogOf(text, version, '2000-01-01');
  return text;
}

/** A clone of HEAD that commits in the name of this one's maintainer. */
function cloneOf(folder) {
  git(root, 'clone', '--quiet', '--no-hardlinks', root, folder);
  git(folder, 'checkout', '--quiet', '--detach', git(root, 'rev-parse', 'HEAD'));
  for (const name of ['user.name', 'user.email']) git(folder, 'config', name, git(root, 'config', name));
  return folder;
}

/** The copies that the version and the changelog are written into. */
async function made(run) {
  await run(['docs']);
}

function commitAll(clone, subject) {
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '--message', subject);
  return git(clone, 'rev-parse', 'HEAD');
}

function edit(clone, file, change) {
  const path = join(clone, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** Where others find the commit: the first remote's address without a password, or this folder. */
function sourceOf() {
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8' });
  const address = stdout.trim().replace(/\/\/[^@/]*@/, '//');
  return `git+${address === '' ? `file://${root}` : address}`;
}

function git(cwd, ...words) {
  return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

async function must(command, words, options) {
  const { code, output } = await runCommand(command, words, options);
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} failed\n${output}`);
}

function step(title) {
  console.log(`\n== ${title}`);
}
