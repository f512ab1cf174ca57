import { largeFrom } from './bounds.ts';

/** The bytes of a body as they came, in parts. */
export interface Pieces {
  /** Of all parts together. */
  readonly length: number;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** Whether each part has memory of its own, which can move to a thread. */
  readonly canMove: boolean;
}

/** No bytes. */
export const noPieces: Pieces = { length: 0, parts: [], canMove: false };

/** The bytes of a body in one. Copies them where there are several parts. */
export const joined = ({ parts }: Pieces): Uint8Array =>
  parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);

/** The memory of a body that moves to a thread and is gone here; none of one whose parts share memory. */
export const movable = ({ parts, canMove }: Pieces): ArrayBuffer[] =>
  canMove ? parts.map(({ buffer }) => buffer) : [];

/**
 * Gathers the chunks of a body. Of a large body no more than a block is copied at a time, and none of its parts is smaller
 * than a block but the last, however small the chunks are.
 */
export function gatherPieces(): { add(chunk: Buffer<ArrayBuffer>): void; end(): Pieces } {
  let chunks: Buffer<ArrayBuffer>[] = [];
  const blocks: Buffer<ArrayBuffer>[] = [];
  let block = Buffer.allocUnsafeSlow(0);
  let used = 0;
  let length = 0;

  // To join 8 MiB at the end took the event loop 50 ms, where each page of the new memory was used for the first time.
  const fill = (chunk: Buffer<ArrayBuffer>) => {
    for (let from = 0; from < chunk.length; ) {
      if (used === block.length) {
        block = Buffer.allocUnsafeSlow(largeFrom);
        blocks.push(block);
        used = 0;
      }
      const copied = chunk.copy(block, used, from);
      used += copied;
      from += copied;
    }
  };
  return {
    add(chunk) {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= largeFrom) return;
      for (const each of chunks) fill(each);
      chunks = [];
    },
    end() {
      if (blocks.length === 0) return { length, parts: chunks, canMove: false };
      return { length, parts: [...blocks.slice(0, -1), block.subarray(0, used)], canMove: true };
    },
  };
}
