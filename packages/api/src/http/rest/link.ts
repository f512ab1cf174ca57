import type { NextPage } from '../../call/answer.ts';
import { decode } from './decode.ts';

/** The part that a parameter replaces. A cursor replaces the beginning and the offset. */
const replaced: Readonly<Record<string, readonly string[]>> = {
  cursor: ['cursor', 'updated_since', 'offset'],
  offset: ['offset'],
};

/**
 * The `Link` to the next page: the path and the parameters of the request, from `next` on.
 * `query` has been read before, `known` are the parameters that mean something.
 */
export function nextLink(
  path: string,
  query: string,
  known: ReadonlyMap<string, unknown>,
  next: NextPage,
): string {
  const pairs = query.split('&').map((pair) => {
    const [name = '', ...rest] = pair.split('=').map((part) => decode(part.replaceAll('+', ' ')));
    return [name, rest.join('=')] as const;
  });
  const added = Object.entries(next);
  const gone = added.flatMap(([name]) => replaced[name] ?? []);
  const kept = pairs.filter(([name]) => known.has(name) && !gone.includes(name));
  const parameters = [...kept, ...added];
  return `<${path}?${parameters.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}>; rel="next"`;
}
