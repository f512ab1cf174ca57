import type { IncomingHttpHeaders } from 'node:http';

/** Keeps the beginning of what a consumer says. */
export interface AnswerText {
  /** Takes a piece of the body; false once it is more than anybody reads: 64 KiB. */
  take(piece: Buffer): boolean;
  /** The first KiB as text, or undefined when it is empty or compressed. */
  text(): string | undefined;
}

/** Starts with the head of the answer; nothing is ever inflated. */
export function createAnswerText(headers: IncomingHttpHeaders): AnswerText {
  const compressed = isCompressed(headers);
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let bytes = 0;
  return {
    take(piece) {
      if (keptBytes < mostKeptBytes && !compressed) {
        // A copy: the piece is a view of the buffer that the connection reads into.
        const part = Buffer.from(piece.subarray(0, mostKeptBytes - keptBytes));
        kept.push(part);
        keptBytes += part.length;
      }
      bytes += piece.length;
      return bytes <= maxReadBytes;
    },
    text: () => toText(Buffer.concat(kept)),
  };
}

const mostKeptBytes = 1_024;
const maxReadBytes = 64 * 1_024;

function isCompressed(headers: IncomingHttpHeaders): boolean {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  return encoding.trim().toLowerCase() !== 'identity';
}

// `stream` leaves out a character that the cut left incomplete; Postgres cannot hold U+0000.
function toText(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  return text.replaceAll('\0', '\uFFFD');
}
