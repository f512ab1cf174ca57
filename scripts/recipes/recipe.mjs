// The form of a recipe, and how a step of it is carried out in a copy of the tree.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * A text that comes into a file: after or before an anchor, which must be in the file once, or at the end.
 * @typedef {object} Edit
 * @property {string} [after]
 * @property {string} [before]
 * @property {string} insert
 *
 * A file that is edited by hand.
 * @typedef {object} Place
 * @property {string} file
 * @property {Edit[]} [edits]
 * @property {string} [from] a new file: the file next to this one that has its text
 * @property {'compiler' | 'test'} missed what names the file when the place is left out
 *
 * @typedef {object} Recipe
 * @property {string} name
 * @property {number} most places that it may need
 * @property {string} test the file next to this one that becomes a test of the copy
 * @property {Pick<Place, 'file' | 'edits'>} [rows] rows of its table, for the tests that go over every table
 * @property {Place[]} places
 * @property {Recipe} [buildsOn] the recipe that it needs; it is carried out after that
 */

/**
 * Carries a place out.
 * @param {string} root @param {Place} place
 * @throws {Error} when an anchor is gone.
 */
export function carryOut(root, { file, from, edits = [] }) {
  const path = join(root, file);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, from === undefined ? edits.reduce(editOf(file), before) : textOf(from));
}

/** The text of a file that a recipe brings. @param {string} name */
export const textOf = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

/** @param {string} file @returns {(text: string, edit: Edit) => string} */
const editOf =
  (file) =>
  (text, { after, before, insert }) => {
    const anchor = after ?? before;
    if (anchor === undefined) return text + insert;
    if (text.split(anchor).length !== 2)
      throw new Error(`${file}: the recipe looks once for ${JSON.stringify(anchor)}`);
    return text.replace(anchor, () => (after === undefined ? insert + anchor : anchor + insert));
  };
