import { builtinModules } from 'node:module';
import { posix } from 'node:path';

/** A source file: its path from the repository's root, with slashes, and its text. */
export interface SourceFile {
  path: string;
  text: string;
}

/** The fields of a package.json that matter here. */
export interface Manifest {
  name: string;
  /** Subpaths it exports, as '.' and './services', to files from the package's folder. */
  exports: Readonly<Record<string, string>>;
  /** Names of everything it declares to depend on. */
  dependencies: readonly string[];
}

/** The code base as the rules see it; packages by their folder, as `packages/db`. */
export interface CodeBase {
  files: readonly SourceFile[];
  packages: Readonly<Record<string, Manifest>>;
}

/** One import of one file. */
export interface Import {
  from: string;
  /** As written. */
  specifier: string;
  /** A file of the repository (its path), or the package's name for one from the registry. */
  target: string;
  /** Leaves nothing at run time. */
  typeOnly: boolean;
}

/** A rule on the imports of some files. */
export interface ImportRule {
  /** The sentence that the report shows. */
  rule: string;
  /** Paths of the files that it binds. */
  files: RegExp;
  /** Specifiers and targets are looked at only if they match; everything unless said. */
  about?: RegExp;
  /** The permitted packages; none by default. `typesOnly`: as `import type` alone. */
  allows?: { target: RegExp; typesOnly?: boolean };
}

/** A rule on the text of some files. */
export interface TextRule {
  rule: string;
  files: RegExp;
  breaks(file: SourceFile, codeBase: CodeBase): boolean;
}

/** Every import and re-export of a file, static and dynamic. */
export function importsOf(file: SourceFile, codeBase: CodeBase): Import[] {
  return [...withoutComments(file.text).matchAll(importLine)].map((match) => {
    const specifier = match.groups?.from ?? match.groups?.bare ?? match.groups?.dynamic ?? '';
    const typeOnly = match.groups?.type !== undefined;
    return { from: file.path, specifier, target: resolve(file.path, specifier, codeBase), typeOnly };
  });
}

/** The violations of the rules, one line each. */
export function violations(
  codeBase: CodeBase,
  importRules: readonly ImportRule[],
  textRules: readonly TextRule[],
): string[] {
  const imports = codeBase.files.flatMap((file) => importsOf(file, codeBase));
  return [
    ...importRules.flatMap((rule) =>
      imports
        .filter((line) => rule.files.test(line.from) && breaks(line, rule))
        .map((line) => `${shown(line)}: ${rule.rule}`),
    ),
    ...imports.filter((line) => !isDeclared(line, codeBase)).map((line) => `${shown(line)}: is not declared`),
    // In packages types count as well: a reader of one file of a circle has to read all of them.
    ...circles(imports.filter(({ from, typeOnly }) => !typeOnly || /^(packages|extras)\//.test(from))),
    ...circles(betweenRooms(imports)),
    ...textRules.flatMap(({ rule, files, breaks }) =>
      codeBase.files
        .filter((file) => files.test(file.path) && breaks(file, codeBase))
        .map(({ path }) => `${path}: ${rule}`),
    ),
  ];
}

const importLine =
  /^[ \t]*(?:import|export)\s+(?<type>type\s+(?=[\w$*{]))?(?:[\w$*{][^'"`;()]*?\s+)?from\s+['"](?<from>[^'"]+)['"]|^[ \t]*import\s+['"](?<bare>[^'"]+)['"]|\bimport\(\s*['"](?<dynamic>[^'"]+)['"]/gm;

const shown = ({ from, specifier }: Import): string => `${from} → ${specifier}`;

function breaks(line: Import, { about, allows }: ImportRule): boolean {
  if (about && !about.test(line.specifier) && !about.test(line.target)) return false;
  if (!allows) return true;
  const allowed = allows.target.test(line.target) || allows.target.test(line.specifier);
  return !allowed || (allows.typesOnly === true && !line.typeOnly);
}

function resolve(from: string, specifier: string, { packages }: CodeBase): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier);
  const own = /^(@comanda\/[^/]+)(\/.+)?$/.exec(specifier);
  if (own) {
    const [folder, manifest] = Object.entries(packages).find(([, { name }]) => name === own[1]) ?? [];
    const file = manifest && exported(`.${own[2] ?? ''}`, manifest.exports);
    return folder && file ? posix.join(folder, file) : specifier;
  }
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/** The file of a subpath: by its own entry, or by one such as `./src/*`. */
function exported(subpath: string, exports: Manifest['exports']): string | undefined {
  const [pattern, file] =
    Object.entries(exports).find(([key]) => key.endsWith('*') && subpath.startsWith(key.slice(0, -1))) ?? [];
  return exports[subpath] ?? (pattern && file?.replace('*', subpath.slice(pattern.length - 1)));
}

// Tests and scripts are not held to it: they are above all packages and borrow what those declare.
function isDeclared({ from, specifier, target }: Import, { packages }: CodeBase): boolean {
  const folder = /^(?:packages|extras)\/[^/]+(?=\/(?!tests\/|journeys\/))/.exec(from)?.[0];
  if (folder === undefined || specifier.startsWith('.')) return true;
  if (specifier.startsWith('node:')) return builtinModules.includes(specifier.slice('node:'.length));
  const [name = specifier] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
  const isExported = !specifier.startsWith('@comanda/') || target !== specifier;
  return isExported && (packages[folder]?.dependencies.includes(name) ?? false);
}

/** The same between neighbors in the API's `src`, files and folders; there types count as well. */
function betweenRooms(imports: readonly Import[]): Import[] {
  const room = (path: string) => /^packages\/api\/src\/[^/]+/.exec(path)?.[0];
  return imports.flatMap((line) => {
    const [from, target] = [room(line.from), room(line.target)];
    return from === undefined || target === undefined || from === target ? [] : [{ ...line, from, target }];
  });
}

/** The files that need each other in a circle. */
function circles(imports: readonly Import[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, target } of imports) next.set(from, [...(next.get(from) ?? []), target]);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    done.add(file);
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
  };
  for (const file of next.keys()) visit(file, []);
  return found.map((circle) => `${circle}: import each other in a circle`);
}

export const withoutComments = (text: string): string =>
  text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '');
