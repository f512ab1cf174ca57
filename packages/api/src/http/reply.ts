import type { ServerResponse } from 'node:http';
import type { Reply } from '../places/answer-bytes.ts';

/** The reply that a response is. */
export const replyOf = (response: ServerResponse): Reply => ({
  held: 0,
  whenClosed(done) {
    if (response.destroyed || response.closed) return false;
    response.once('close', done);
    return true;
  },
});
