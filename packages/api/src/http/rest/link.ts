import { decode } from './decode.ts';

/** What a cursor stands for: the beginning, and what was passed over. */
const replaced = new Set(['cursor', 'updated_since', 'offset']);

/**
 * The `Link` to the next page of what has changed: the path and the parameters of the request, from the cursor on.
 * `query` has been read before, `known` are the parameters that mean something.
 */
export function nextLink(
  path: string,
  query: string,
  known: ReadonlyMap<string, unknown>,
  cursor: string,
): string {
  const pairs = query.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=').map((part) => decode(part.replaceAll('+', ' ')));
    return [name, rest.join('=')] as const;
  });
  const kept = pairs.filter(([name]) => known.has(name) && !replaced.has(name));
  const parameters = [...kept, ['cursor', cursor] as const];
  return `<${path}?${parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}>; rel="next"`;
}
