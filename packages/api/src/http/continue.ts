import type { IncomingMessage, ServerResponse } from 'node:http';

const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes a request whose client sends the body after `100 Continue` (`Expect: 100-continue`). */
export function awaitsContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/**
 * Sends `100 Continue` to a client that waits for it. Call it just before the body is read: after key, limits, permission,
 * length and media type were checked.
 */
export function askForBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}
