/**
 * How many lines a file has, without the rows of its tables: a table is as long as it has rows. A table is an array or object literal
 * at the top of the file that holds no body of a function.
 */
export function linesOfCode(text: string): number {
  const lines = text.trimEnd().split('\n').length;
  const tables = [...text.matchAll(tableAtTheTop)].map(([, rows = '']) => rows);
  return tables
    .filter((rows) => !functionBody.test(rows))
    .reduce((left, rows) => left - rows.split('\n').length + 1, lines);
}

/** `const name = {`, with or without a type, up to the line that closes it. */
const tableAtTheTop = /^(?:export )?const \w+(?:: [^=\n]+)? = [[{]\n([\s\S]*?)^[\]}]/gm;
/** `=> {` at the end of a line that holds an arrow function, or the head of a method or a function. */
const functionBody = /=> \{$|\)(?:: [^\n]+)? \{$/m;
