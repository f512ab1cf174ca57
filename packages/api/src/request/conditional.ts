/**
 * Whether an `If-None-Match` header names the entity tag: `*`, the tag itself, or a list that holds it. Compared
 * weakly (RFC 9110, 13.1.2): `W/` makes no difference. What is no entity tag matches nothing.
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  // As our own answers spell it: what nearly every caller sends.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(entityTag)].some(([, tag]) => tag === etag);
}

const entityTag = /(?<=^|,)[ \t]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/g;
