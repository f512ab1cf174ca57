import type { ServerResponse } from 'node:http';
import type { Leaving } from '@comanda/db';
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

/** The caller of a response: it has left once the response is closed. */
export const leftOf = (response: ServerResponse): Leaving => ({
  get isGone() {
    return response.destroyed || response.closed;
  },
  whenGone(done) {
    response.once('close', done);
    return () => response.off('close', done);
  },
});
