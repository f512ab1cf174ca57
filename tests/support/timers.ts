/**
 * Whether code calls itself again on a timer, as a loop does: by setInterval, by a wait inside `for`, `while` or
 * `do`, or by a timer whose callback leads back to where it is set. A deadline, or a single wait, is none. The text is
 * formatted: blocks are recognized by their indentation.
 */
export function schedulesItself(text: string): boolean {
  const lines = text.split('\n');
  const functions = lines.flatMap((line, at) => {
    const name = functionHead.exec(line)?.groups?.name;
    return name === undefined ? [] : [{ name, body: bodyAt(lines, at) }];
  });
  const reachedFrom = (code: string, known = new Set<string>()): Set<string> => {
    for (const { name, body } of functions)
      if (!known.has(name) && new RegExp(`(?<![.\\w])${name}\\b`).test(code))
        reachedFrom(body, known.add(name));
    return known;
  };
  const wait = /import \{ setTimeout as (\w+) \}/.exec(text)?.[1] ?? 'setTimeout';
  return (
    /\bsetInterval\(/.test(text) ||
    lines.some(
      (line, at) =>
        /^\s*(for|while|do)( \(| \{)/.test(line) &&
        new RegExp(`\\b(setTimeout|${wait})\\(`).test(bodyAt(lines, at)),
    ) ||
    functions.some(({ name, body }) => timersIn(body).some((callback) => reachedFrom(callback).has(name)))
  );
}

const functionHead =
  /^\s*(?:export )?(?:async )?(?:function (?=\w+[(<])|const (?=\w+(?:: [^=]+)? = (?:async )?(?:<\w+>)?(?:\(|\w+ =>))|(?=\w+\([^)]*\)(?:: .*)? \{$))(?<name>\w+)/;

/** A line and those after it that are indented further, or continue its head. */
function bodyAt(lines: readonly string[], at: number): string {
  const own = depthOf(lines[at]);
  const goesOn = (line: string) => line === '' || depthOf(line) > own || /^\s*[)\]}].*[{(=>]$/.test(line);
  const end = lines.findIndex((line, n) => n > at && !goesOn(line));
  return lines.slice(at, end < 0 ? undefined : end).join('\n');
}

const depthOf = (line = ''): number => line.length - line.trimStart().length;

/** The delay of each timer. */
function timersIn(code: string): string[] {
  return [...code.matchAll(/\bset(?:Timeout|Immediate)\(/g)].map(({ 0: head, index }) => {
    let open = 1;
    let end = index + head.length;
    for (; open > 0 && end < code.length; end += 1)
      open += '()'.includes(code[end] ?? '') ? (code[end] === '(' ? 1 : -1) : 0;
    return code.slice(index + head.length, end);
  });
}
