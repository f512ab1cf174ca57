// Makes the clients of one file (extras/integrator/clients) from their templates. Plain JavaScript without dependencies: it runs
// before anything is installed.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** How a language marks code in its documentation; the others do so with backticks. */
const codeMarks = { '.java': '{@code $1}', '.cs': '<c>$1</c>' };

/**
 * Fills the templates of a folder with the values of its model.mjs, which is read anew at every call.
 * @param {string} folder
 * @param {Record<string, string>} more values besides those of the model
 * @returns {Promise<Record<string, string>>} the files by their names
 * @throws {Error} as {@link fillTemplates} does
 */
export async function renderTemplates(folder, more) {
  const file = join(folder, 'model.mjs');
  const { model } = await import(`${pathToFileURL(file)}?${statSync(file).mtimeMs}`);
  const names = templatesIn(folder);
  const templates = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  return fillTemplates({ ...more, ...model }, Object.fromEntries(templates));
}

/** The names of the templates of a folder. @returns {string[]} */
export const templatesIn = (folder) =>
  readdirSync(folder).filter((name) => /^\w+\.(cs|java|php|py)$/.test(name));

/**
 * Replaces each `{{path.of.value}}`; `{{path | lower}}` gives it in lower case.
 * @param {object} model values, numbers or texts, and groups of them
 * @param {Record<string, string>} templates texts by the names of their files
 * @returns {Record<string, string>}
 * @throws {Error} with a line for each placeholder without a value, value that no template uses, value that would need
 *   escaping in one of the languages, and value that a template writes out.
 */
export function fillTemplates(model, templates) {
  const values = new Map(flatten(model));
  const used = new Set();
  const faults = new Set();
  const fill = (name, text) =>
    text.replace(/\{\{([\w.]+)( \| lower)?\}\}/g, (placeholder, path, lower) => {
      used.add(path);
      if (!values.has(path)) faults.add(`${name}: ${placeholder} has no value`);
      const value = markCode(values.get(path), name);
      return lower ? value.toLowerCase() : value;
    });
  const filled = Object.entries(templates).map(([name, text]) => [name, fill(name, text)]);
  for (const [path, value] of values) {
    if (!used.has(path)) faults.add(`no template uses ${path}`);
    if (/["'\\${}<>&]/.test(value))
      faults.add(`${path} has a character that a language would take for its own`);
    for (const [name, text] of Object.entries(templates))
      if (isWrittenOut(markCode(value, name), text)) faults.add(`${name} writes out ${path}: ${value}`);
  }
  if (faults.size > 0) throw new Error(`the templates and their model differ:\n${[...faults].join('\n')}`);
  return Object.fromEntries(filled);
}

/** @returns {[path: string, value: string | number][]} */
function flatten(group, prefix = '') {
  return Object.entries(group).flatMap(([name, value]) =>
    typeof value === 'object' ? flatten(value, `${prefix}${name}.`) : [[prefix + name, value]],
  );
}

/** The text of a value in the language of a file. */
const markCode = (value, name) => String(value).replace(/`([^`]*)`/g, codeMarks[extname(name)] ?? '`$1`');

/** A number of one digit is too common to be found, and one behind < or > is the status of an answer. */
function isWrittenOut(value, text) {
  if (Number.isNaN(Number(value))) return text.toLowerCase().includes(value.toLowerCase());
  return value.length > 1 && new RegExp(`(?<![\\w.]|[<>] )${value}(?!\\w|\\.[1-9])`).test(text);
}
