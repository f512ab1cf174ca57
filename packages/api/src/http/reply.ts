import type { ServerResponse } from 'node:http';
import type { Leaving } from '@comanda/db';
import type { Reply } from '../capacity/bytes.ts';

/** The reply that a response is. */
export const replyOf = (response: ServerResponse): Reply => ({
  held: 0,
  whenClosed(done) {
    if (response.destroyed || response.closed) return false;
    response.once('close', done);
    return true;
  },
});

/** The caller of a response: it has left once the response is closed. A class, since each request makes one. */
export class ResponseCaller implements Leaving {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isGone(): boolean {
    return this.#response.destroyed || this.#response.closed;
  }

  whenGone(done: () => void): () => void {
    this.#response.on('close', done);
    return () => this.#response.off('close', done);
  }
}
