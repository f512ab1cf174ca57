// The artifacts of a release, and their proofs: archive, checksums, provenance.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../../../scripts/bootstrap.mjs';

/**
 * Packs a folder as `<folder>.tar.gz`. The same files give the same bytes: names are sorted, and every entry has the time of
 * the commit and no owner. Needs GNU tar.
 * @param {string} folder @param {{ seconds: number, signal?: AbortSignal }} options `seconds`: of the commit, since 1970
 * @throws {Error} with what tar printed.
 */
export async function archive(folder, { seconds, signal }) {
  const tar = join(dirname(folder), `${basename(folder)}.tar`);
  const same = [
    '--sort=name',
    `--mtime=@${seconds}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=posix',
  ];
  const words = [
    ...same,
    '--pax-option=delete=atime,delete=ctime',
    '-C',
    dirname(folder),
    '-cf',
    tar,
    basename(folder),
  ];
  await must('tar', words, signal);
  await must('gzip', ['--no-name', '--best', '--force', tar], signal);
  return `${tar}.gz`;
}

/** The SHA-256 of each file of a folder, by name. @param {string} folder */
export const digestsOf = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, sha256: sha256(join(folder, name)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Writes `SHA256SUMS` of the folder's files, as `sha256sum --check` reads it. @param {string} folder */
export function writeChecksums(folder) {
  const lines = digestsOf(folder).map(({ name, sha256: sum }) => `${sum}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
}

/**
 * Where the files come from, as an in-toto statement with the predicate SLSA provenance 1.0. It is not signed: a maintainer signs SHA256SUMS,
 * which names it.
 * @param {string} folder of the files @param {{ version: string, commit: string, source: string, lockfile: string, began: Date, checks: string }} of
 */
export function writeProvenance(folder, { version, commit, source, lockfile, began, checks }) {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digestsOf(folder).map(({ name, sha256: sum }) => ({ name, digest: { sha256: sum } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:comanda:npm-run-release:1',
        externalParameters: { version, checks },
        internalParameters: { node: process.versions.node, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          { uri: source, digest: { gitCommit: commit } },
          { name: 'pnpm-lock.yaml', digest: { sha256: sha256(lockfile) } },
        ],
      },
      runDetails: {
        builder: { id: 'urn:comanda:scripts:release' },
        metadata: { startedOn: began.toISOString(), finishedOn: new Date().toISOString() },
      },
    },
  };
  writeFileSync(join(folder, `comanda-${version}.intoto.json`), `${JSON.stringify(statement, null, 2)}\n`);
}

const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

async function must(command, words, signal) {
  const { code, output } = await runCommand(command, words, { signal });
  if (code !== 0) throw new Error(`${command} failed:\n${output}`);
}
