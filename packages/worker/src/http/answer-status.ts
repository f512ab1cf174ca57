import type { Socket } from 'node:net';

/** How an answer began that could not be read. */
export interface BegunAnswer {
  status: number;
  /** The head is whole, and each of its lines is a header: only their lengths contradict each other. */
  isWhole: boolean;
}

const begun = new WeakMap<object, BegunAnswer>();

/** How the answer began at which an error ended a watched connection; undefined when none had begun. */
export const begunAnswer = (error: unknown): BegunAnswer | undefined =>
  typeof error === 'object' && error !== null ? begun.get(error) : undefined;

/**
 * Notes the status with which each answer of a connection begins: of an answer that it refuses, undici says none. It reads with
 * `read`, and ends the connection with the error while it is at a piece, so no piece is kept beyond that.
 */
export function watchAnswers(socket: Socket): void {
  let status: number | undefined;
  let piece: Buffer | undefined;
  const { read, write, destroy } = socket;
  socket.read = (size) => {
    const found: unknown = read.call(socket, size);
    piece = Buffer.isBuffer(found) ? found : undefined;
    if (piece !== undefined) status = statusIn(piece) ?? status;
    return found;
  };
  // The next request: what follows is another answer.
  socket.write = ((...args: Parameters<typeof write>) => {
    status = undefined;
    return write.apply(socket, args);
  }) as typeof write;
  socket.destroy = (error) => {
    if (error !== undefined && status !== undefined)
      begun.set(error, { status, isWhole: piece !== undefined && isWholeHead(piece) });
    piece = undefined;
    return destroy.call(socket, error);
  };
}

const statusLine = /^HTTP\/1\.[01] ([2-5]\d\d)[ \r]/;

function statusIn(piece: Buffer): number | undefined {
  const [, status] = statusLine.exec(piece.toString('latin1', 0, 13)) ?? [];
  return status === undefined ? undefined : Number(status);
}

const header = /^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/;

function isWholeHead(piece: Buffer): boolean {
  const end = piece.indexOf('\r\n\r\n');
  if (end < 0 || statusIn(piece) === undefined) return false;
  const [, ...lines] = piece.toString('latin1', 0, end).split('\r\n');
  return lines.every((line) => header.test(line));
}
