// The changes of a release to texts that people write: version, headings, the release that upgrades begin at. Texts in,
// texts out.

/** A version of three numbers. */
const versionPattern = /^(\d+)\.(\d+)\.(\d+)$/;

/**
 * Whether `version` is later than `other`; both have three numbers.
 * @param {string} version @param {string} other
 */
export function isLater(version, other) {
  const [a, b] = [version, other].map((text) => numbersOf(text));
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && a[at] > b[at];
}

/** The version that is worked on after `version`, unless the caller names another. @param {string} version */
export function versionAfter(version) {
  const [major, minor] = numbersOf(version);
  return `${major}.${minor + 1}.0`;
}

/** Throws {Error} for what is no version of three numbers. @param {string} version */
export function numbersOf(version) {
  const found = versionPattern.exec(version);
  if (found === null) throw new Error(`${version} is not a version as 1.2.0 is`);
  return found.slice(1).map(Number);
}

/**
 * The changelog with the heading of a release in place of that of what was unreleased.
 * @param {string} changelog @param {string} version @param {string} day YYYY-MM-DD
 * @throws {Error} where the first heading is not that of unreleased changes, or has none below it.
 */
export function changelogOf(changelog, version, day) {
  const [, name, entries = ''] =
    /^## (\S+), unreleased \([-\d]+\)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  if (name === undefined)
    throw new Error('CHANGELOG.md: the first heading is not "1.2.0, unreleased (2027-03-01)"');
  if (!entries.includes('\n- '))
    throw new Error(`CHANGELOG.md: nothing is written below "${name}, unreleased"`);
  return changelog.replace(/^## \S+, unreleased \([-\d]+\)$/m, `## ${version} (${day})`);
}

/**
 * The changelog with a heading for what comes next.
 * @param {string} changelog @param {string} next @param {string} day YYYY-MM-DD
 */
export function changelogAfter(changelog, next, day) {
  return changelog.replace(/^## /m, `## ${next}, unreleased (${day})\n\nNothing yet.\n\n## `);
}

/** package.json with another version, otherwise byte for byte. @param {string} manifest @param {string} version */
export const manifestOf = (manifest, version) =>
  manifest.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);

/**
 * tests/upgrade/releases.ts with the release that today's version is upgraded from.
 * @param {string} source @param {string} version @param {string} commit
 * @throws {Error} where the row is not found.
 */
export function releasesOf(source, version, commit) {
  const row = /export const releaseBefore: Release = \{[^}]*\};/;
  if (!row.test(source))
    throw new Error('tests/upgrade/releases.ts: the row of the release before is not found');
  return source.replace(
    row,
    `export const releaseBefore: Release = {\n  version: '${version}',\n  commit: '${commit}',\n};`,
  );
}

/**
 * The row of docs/operations/upgrades.md that says how an upgrade goes; tests/upgrade sees each of its cells.
 * @param {{ version: string, commit: string }} release @param {string} to the version after it
 */
export const upgradeRow = ({ version, commit }, to) =>
  `| ${version} (\`${commit.slice(0, 7)}\`) | ${to} | a stop and a start | no order lost, no webhook twice | by a stop and a start |`;

/**
 * docs/operations/upgrades.md with a row for an upgrade from the release to the version after it, above the others.
 * @param {string} page @param {{ version: string, commit: string }} release @param {string} to
 * @throws {Error} where the table is not found.
 */
export function upgradesOf(page, release, to) {
  const head = /^\| From \| To \|.*\n\|[-| ]+\|\n/m;
  if (!head.test(page)) throw new Error('docs/operations/upgrades.md: the table of upgrades is not found');
  return page.replace(head, (lines) => `${lines}${upgradeRow(release, to)}\n`);
}
