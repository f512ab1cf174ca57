// What a recipe is, and how a place of it is carried out in a copy of the tree and taken back.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A file that is edited by hand.
 * @typedef {object} Place
 * @property {string} file
 * @property {string} [after] the anchor, which must stand there once; `before: true` inserts before it
 * @property {boolean} [before]
 * @property {string} [insert]
 * @property {string} [append] at the end
 * @property {string} [from] a new file: the file beside this one that has its text
 * @property {string} [imports] at the top
 * @property {string} [made] what is generated of it, and is as before when the place is forgotten
 * @property {'compiler' | 'test'} missed who says so when the place is forgotten
 *
 * @typedef {object} Recipe
 * @property {string} name
 * @property {number} most places that it may need
 * @property {string} test the file beside this one that becomes a test of the copy
 * @property {Place[]} places
 */

/**
 * Carries a place out; answers what takes it back.
 * @param {string} root @param {Place} place @returns {() => void}
 * @throws {Error} when the anchor is gone.
 */
export function carryOut(root, place) {
  const path = join(root, place.file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const edited = edit(before ?? '', place);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, edited);
  return () => (before === undefined ? rmSync(path) : writeFileSync(path, before));
}

/** The text of a file that a recipe brings. @param {string} name */
export const textOf = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** @param {string} text @param {Place} place */
function edit(text, { file, from, after, before = false, insert = '', append = '', imports = '' }) {
  if (from !== undefined) return textOf(from);
  let edited = text;
  if (after !== undefined) {
    if (text.split(after).length !== 2)
      throw new Error(`${file}: the recipe looks once for ${JSON.stringify(after)}`);
    edited = text.replace(after, () => (before ? insert + after : after + insert));
  }
  // Behind the other imports, so that a comment may head the file.
  if (imports !== '') edited = edited.replace(/^import /m, (word) => imports + word);
  return edited + append;
}
