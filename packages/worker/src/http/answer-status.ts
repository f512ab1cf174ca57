import type { Socket } from 'node:net';
import { errors } from 'undici';

/** How an answer began that could not be read. */
export interface BegunAnswer {
  status: number;
  /** Only the lengths in its head contradict each other: each of its lines is a header. */
  isHead: boolean;
}

const begun = new WeakMap<object, BegunAnswer>();

/** How the answer began at which an error ended a watched connection; undefined when none had begun. */
export const begunAnswer = (error: unknown): BegunAnswer | undefined =>
  typeof error === 'object' && error !== null ? begun.get(error) : undefined;

/**
 * Notes how each answer of a connection begins: of an answer that it refuses, undici says nothing. It reads with `read`, and ends the
 * connection with the error before it reads on, so nothing is kept of a head that it has taken.
 */
export function watchAnswers(socket: Socket): void {
  let head = '';
  let isWhole = false;
  const { read, write, destroy } = socket;
  socket.read = (size) => {
    const piece: unknown = read.call(socket, size);
    if (isWhole) head = '';
    else if (Buffer.isBuffer(piece)) {
      head += piece.toString('latin1');
      while (interim.test(head)) head = head.replace(interim, '');
      isWhole = head.includes('\r\n\r\n');
    }
    return piece;
  };
  // The next request: what follows is another answer.
  socket.write = ((...args: Parameters<typeof write>) => {
    head = '';
    isWhole = false;
    return write.apply(socket, args);
  }) as typeof write;
  socket.destroy = (error) => {
    const [, status] = statusLine.exec(head) ?? [];
    if (error !== undefined && status !== undefined)
      begun.set(error, { status: Number(status), isHead: !isTooLong(error) && isHead(head, isWhole) });
    head = '';
    return destroy.call(socket, error);
  };
}

const isTooLong = (error: Error): boolean => error instanceof errors.HeadersOverflowError;

const interim = /^HTTP\/1\.1 1\d\d[\s\S]*?\r\n\r\n/;
const statusLine = /^HTTP\/1\.[01] ([2-5]\d\d)[ \r]/;
const header = /^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/;
const length = /^(?:content-length|transfer-encoding):/i;

/** Of a head that is not whole, undici refuses the second length before it has read the rest. */
function isHead(text: string, isWhole: boolean): boolean {
  const [head = ''] = text.split('\r\n\r\n', 1);
  const [, ...lines] = head.split('\r\n');
  const isAtLength = isWhole || lines.filter((line) => length.test(line)).length > 1;
  return isAtLength && (isWhole ? lines : lines.slice(0, -1)).every((line) => header.test(line));
}
