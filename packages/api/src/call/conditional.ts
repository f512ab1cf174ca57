/**
 * Whether an `If-None-Match` header names the entity tag: `*`, the tag itself, or a list that holds it. Compared
 * weakly (RFC 9110, 13.1.2): `W/` makes no difference. Text that is no entity tag matches nothing.
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // As our own answers spell it: what nearly every caller sends.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(entityTag)].some(([, tag]) => tag === etag);
}

/**
 * Whether an `If-Match` header names the entity tag: `*`, the tag itself, or a list that holds it. Compared strongly
 * (RFC 9110, 13.1.1): a weak tag matches nothing.
 */
export function matchesStrongly(ifMatch: string, etag: string): boolean {
  if (ifMatch === etag || ifMatch.trim() === '*') return true;
  return [...ifMatch.matchAll(entityTag)].some(([whole, tag]) => tag === etag && !whole.includes('W/"'));
}

const gzipEnd = '-gzip"';

/**
 * The tag of an answer as the caller gets it: gzip has other bytes, so another tag (RFC 9110, 8.8.3.3). A client that
 * holds it in the other coding alone gets the tag of that one: a cache refreshes its entry under that name.
 */
export function tagOf(etag: string, asGzip: boolean, held = ''): string {
  const gzip = `${etag.slice(0, -1)}${gzipEnd}`;
  const [own, other] = asGzip ? [gzip, etag] : [etag, gzip];
  return held.includes(other) && !held.includes(own) ? other : own;
}

/** An `If-None-Match` or `If-Match` that names answers whichever way they were coded: who has one of them has the answer. */
export const uncodedTags = (header: string | undefined): string | undefined =>
  header?.replaceAll(gzipEnd, '"');

const entityTag = /(?<=^|,)[ \t]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/g;
