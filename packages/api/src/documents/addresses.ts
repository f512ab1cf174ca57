/**
 * The address at which the documents have the page that another address means: with a slash too many or too few,
 * `.html`, `index.html`, of a folder without a page, of a page that is gone. `undefined` where no page is meant, and
 * for an address that is served. The answer is always a path that `has` knows, for any request.
 * @param url path and query of a request
 * @param has whether something is served at a path
 */
export function meantAddress(url: string, has: (path: string) => boolean): string | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  if (has(path) || !/^\/docs(\/|$)/.test(path)) return undefined;
  const bare = path.replace(/\/$/, '').replace(/\/index(\.html)?$|(?<=[^/])\.html$/, '');
  const listed = withoutPage(new URLSearchParams(query).get('version') === 'v1' ? 'v1' : 'v2')[bare];
  return [bare, `${bare}/`, listed].find((each) => each !== undefined && has(each));
}

/** Where the pages of a folder without one of its own are listed, and where the calls are tried that were at `/docs/try`. */
const withoutPage = (version: 'v1' | 'v2'): Record<string, string> => ({
  '/docs/guides': '/docs/',
  '/docs/reference': '/docs/reference/v2/',
  '/docs/try': `/docs/reference/${version}/`,
});
