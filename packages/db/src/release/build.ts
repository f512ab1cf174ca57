import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../root.ts';

/** Which build this is. */
export interface Build {
  /** Of the package.json at the top. */
  version: string;
  /** The short hash of the commit, with `-dirty` where files differed from it; `unknown` outside of a repository. */
  commit: string;
}

let known: { build: Build; release: string } | undefined;

/** The version and the commit of this code. */
export const ownBuild = (): Build => read().build;

/**
 * The same as a version of its own, which orders builds: `1.2.0+20270301T120000Z.98a8ce1`, where the time is that of
 * the commit; the version alone where the commit is not known.
 */
export const ownRelease = (): string => read().release;

function read(): { build: Build; release: string } {
  if (known === undefined) {
    const json = (file: string) => JSON.parse(readFileSync(join(repositoryRoot, file), 'utf8'));
    const { version }: { version: string } = json('package.json');
    // scripts/build-info.mjs writes it.
    const { commit, committedAt }: { commit?: string; committedAt?: string } = existsSync(
      join(repositoryRoot, 'dist/build.json'),
    )
      ? json('dist/build.json')
      : {};
    const time = committedAt?.replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
    known = {
      build: { version, commit: commit ?? 'unknown' },
      release: time === undefined ? version : `${version}+${time}.${commit}`,
    };
  }
  return known;
}
