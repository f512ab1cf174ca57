import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../packages/db/src/root.ts';
import { barcode } from '../../scripts/recipes/barcode.mjs';
import { copyTree } from '../../scripts/recipes/copy.mjs';
import { carryOut } from '../../scripts/recipes/recipe.mjs';
import { suppliers } from '../../scripts/recipes/suppliers.mjs';
import type { Release } from './releases.ts';

/** A version that runs: by `npm start` from its tree, and as the folder that `npm run package` makes. */
export interface Version {
  tree: string;
  package: string;
}

/** The names of the next version and of the one after that. */
export const nextVersion = '99.1.0';

const run = (cwd: string, ...args: string[]) => {
  const { COMANDA_TEST_DIRECTORY: _, ...env } = process.env;
  return promisify(execFile)(process.execPath, args, { cwd, env, maxBuffer: 2 ** 26 });
};

/**
 * The release, built from the history with packages of its own. It stays in node_modules, since a commit does not change.
 * @throws {Error} this clone does not hold the commit.
 */
export async function buildRelease({ version, commit }: Release): Promise<Version> {
  const tree = join(repositoryRoot, 'node_modules/.comanda-releases', `${version}-${commit.slice(0, 12)}`);
  const built = { tree, package: join(tree, 'dist', `comanda-${version}`) };
  if (existsSync(join(tree, 'built'))) return built;
  const input = archiveOf(version, commit);
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  execFileSync('tar', ['-x', '-C', tree], { input });
  await run(tree, packageScript(tree));
  writeFileSync(join(tree, 'built'), '');
  return built;
}

/** The script of `npm run package` in a tree, which a release may have elsewhere. */
const packageScript = (tree: string): string =>
  JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
    .scripts.package.split(' ')
    .at(-1);

function archiveOf(version: string, commit: string): Buffer {
  try {
    return execFileSync('git', ['archive', commit], {
      cwd: repositoryRoot,
      maxBuffer: 2 ** 30,
      stdio: 'pipe',
    });
  } catch (error) {
    throw new Error(
      `release ${version} cannot be built: this clone does not hold commit ${commit}. Fetch the whole history (git fetch --unshallow), from which the release before is built`,
      { cause: error },
    );
  }
}

/**
 * The version after this one, in a folder that the caller removes: today's tree with a new column (products.barcode), a new
 * table with its resource, events, functions and access (suppliers), a changed function (touch_updated_at) and a dropped one
 * (order_entry).
 */
export async function buildNext(): Promise<Version> {
  const tree = mkdtempSync(join(tmpdir(), 'comanda-next-'));
  copyTree(repositoryRoot, tree);
  for (const place of [...suppliers.places, ...barcode.places]) carryOut(tree, place);
  const edit = (file: string, from: string, to: string) => {
    const before = readFileSync(join(tree, file), 'utf8');
    const after = before.replaceAll(from, to);
    if (after === before) throw new Error(`${file} has no ${from}`);
    writeFileSync(join(tree, file), after);
  };
  edit('prisma/sql/changes.sql', 'NEW.updated_at := date_trunc(', `NEW.updated_at := ${changed} date_trunc(`);
  edit('prisma/sql/order_lists.sql', 'order_entry(', 'order_entry_2(');
  edit('packages/api/src/resources/orders/entries.statements.ts', 'order_entry(', 'order_entry_2(');
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  edit('package.json', `"version": "${version}"`, `"version": "${nextVersion}"`);
  await run(tree, 'scripts/migration.mjs', 'upgrade');
  // The site of the package shows a body of each event.
  await run(tree, 'scripts/docs.mjs');
  await run(tree, 'extras/release/package.mjs');
  return { tree, package: join(tree, 'dist', `comanda-${nextVersion}`) };
}

/** The mark of the changed function. */
export const changed = '/* next version */';
