import type { ServerIdentity } from './statements.ts';

/** Why one server is no standby of the other, as a sentence about it; undefined when it is one. */
export function unsuitable(replica: ServerIdentity, primary: ServerIdentity): string | undefined {
  if (replica.cluster !== primary.cluster) return 'it is a copy of another server';
  if (replica.database !== primary.database) return 'it is another database of the server';
  if (!replica.standby) return 'it is no standby: the primary itself, or a standby that was promoted';
  // After a change of primary, one that still follows the old one may be ahead of the new one, with other commits.
  if (replica.timeline !== primary.timeline)
    return `it follows timeline ${replica.timeline}, the primary is on ${primary.timeline}`;
  return undefined;
}

/** The state of a server with a log of its own: its commits are not those of the primary. */
export const hasOtherHistory = {
  ahead: 'it is ahead of the primary, so it has another history: the primary was restored, or this is a copy',
  astray: 'it lacks what the primary had committed by then, so it has another history',
} as const;
