/**
 * Where a text that is not JSON (RFC 8259) stops being its beginning, as `line 1, column 12`, both from 1; columns count
 * UTF-16 units. The end where it ends early. `JSON.parse` reports a position for some faults only.
 */
export function faultPlace(json: string): string {
  const before = json.slice(0, faultOffset(json)).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

function faultOffset(json: string): number {
  // The closing brackets of the open containers.
  const open: string[] = [];
  let expected: Expected | undefined = 'value';
  for (let at = blanksEnd(json, 0); ; at = blanksEnd(json, token.lastIndex)) {
    token.lastIndex = at;
    const [found, quote] = token.exec(json) ?? [''];
    expected = afterToken(expected, found, open);
    if (expected === undefined) return at;
    if (quote === '') return token.lastIndex;
  }
}

/** A bracket, comma or colon; a text up to its closing quote, which is captured, or to what it cannot contain; another value. */
const token =
  /[{}[\],:]|"(?:[^"\\\p{Cc}]+|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*("?)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const blanks = /[ \t\r\n]*/y;

function blanksEnd(json: string, from: number): number {
  blanks.lastIndex = from;
  blanks.exec(json);
  return blanks.lastIndex;
}

/** The state behind the token; undefined where the token is not expected. */
function afterToken(expected: Expected, found: string, open: string[]): Expected | undefined {
  const end = open.at(-1);
  if (expected.endsWith('or end') && found !== '' && found === end) {
    open.pop();
    return 'comma or end';
  }
  switch (expected) {
    case 'comma or end':
      return found === ',' && end !== undefined ? (end === '}' ? 'name' : 'value') : undefined;
    case 'colon':
      return found === ':' ? 'value' : undefined;
    case 'name':
    case 'name or end':
      return found.startsWith('"') ? 'colon' : undefined;
    default:
      if (found === '' || '}],:'.includes(found)) return undefined;
      if (found !== '{' && found !== '[') return 'comma or end';
      open.push(found === '{' ? '}' : ']');
      return found === '{' ? 'name or end' : 'value or end';
  }
}
