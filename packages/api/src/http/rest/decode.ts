import { ApiError } from '../../errors.ts';

/** Decodes one percent-encoded piece of a URL. Throws 400 when it is broken or not UTF-8. */
export function decode(piece: string): string {
  if (!piece.includes('%')) return piece;
  try {
    return decodeURIComponent(piece);
  } catch {
    throw new ApiError('unreadable_request', 'The URL holds broken percent-encoding.');
  }
}
