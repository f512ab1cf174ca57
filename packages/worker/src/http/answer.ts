import type { Dispatcher } from 'undici';

/**
 * Reads what a consumer says, best-effort: until it ends, fails, exceeds 64 KiB, or takes longer than
 * `remainingMs` (1 s at most). A connection whose answer was not read to its end is destroyed. Never throws.
 *
 * @returns the first KiB as text, or undefined when it is empty or compressed.
 */
export async function readAnswer(
  { body, headers }: Pick<Dispatcher.ResponseData, 'body' | 'headers'>,
  remainingMs: number,
): Promise<string | undefined> {
  const kept: Buffer[] = [];
  let bytes = 0;
  let keptBytes = 0;
  const timer = setTimeout(() => body.destroy(), Math.max(0, Math.min(remainingMs, MAX_READ_MS)));
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (keptBytes < KEPT_BYTES) {
        const part = chunk.subarray(0, KEPT_BYTES - keptBytes);
        kept.push(Buffer.from(part));
        keptBytes += part.length;
      }
      bytes += chunk.length;
      if (bytes > MAX_READ_BYTES) break;
    }
  } catch {
    // Cut off, dripping or malformed: the status has already decided.
  } finally {
    clearTimeout(timer);
    body.on('error', () => undefined).destroy();
  }
  return isCompressed(headers) ? undefined : toText(Buffer.concat(kept));
}

const KEPT_BYTES = 1_024;
const MAX_READ_BYTES = 64 * 1_024;
const MAX_READ_MS = 1_000;

function isCompressed(headers: Dispatcher.ResponseData['headers']): boolean {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  return encoding.trim().toLowerCase() !== 'identity';
}

// `stream` leaves out a character that the cut left incomplete; Postgres cannot hold U+0000.
function toText(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  return text.replaceAll('\0', '\uFFFD');
}
