import fc from 'fast-check';
import { expect, it } from 'vitest';
import { largeFrom } from '../../packages/api/src/bodies/bounds.ts';
import { gatherPieces, joined, movable } from '../../packages/api/src/bodies/pieces.ts';

const gathered = (chunks: readonly Buffer<ArrayBuffer>[]) => {
  const pieces = gatherPieces();
  for (const chunk of chunks) pieces.add(chunk);
  return pieces.end();
};

it('no byte of a body is lost or moved, however it is cut into chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 3 * largeFrom }), { maxLength: 8 }), (sizes) => {
      const chunks = sizes.map((size, index) => Buffer.alloc(size, `${index}${size}`));
      const whole = Buffer.concat(chunks);
      const pieces = gathered(chunks);
      expect(pieces.length).toBe(whole.length);
      expect(whole.equals(joined(pieces))).toBe(true);
    }),
    { numRuns: 20 },
  );
});

it('a large body in chunks of a few bytes does not become as many parts', () => {
  const chunk = Buffer.from('[0,1]');
  const pieces = gathered(Array.from({ length: 200_000 }, () => chunk));
  expect(pieces.parts).toHaveLength(Math.ceil((200_000 * chunk.length) / largeFrom));
  expect(pieces.parts.slice(0, -1).every(({ length }) => length === largeFrom)).toBe(true);
});

it('a large body moves to the thread: it is copied whole neither when it has arrived nor when it is sent', () => {
  const pieces = gathered([Buffer.alloc(8 * 1024 * 1024, 'x')]);
  expect(Math.max(...pieces.parts.map(({ length }) => length))).toBe(largeFrom);
  const sent = structuredClone(pieces, { transfer: movable(pieces) });
  expect(joined(sent).length).toBe(8 * 1024 * 1024);
  expect(pieces.parts.map(({ byteLength }) => byteLength)).toEqual(pieces.parts.map(() => 0));
});

it('a small body stays: its chunks may share memory with others', () => {
  const shared = Buffer.from(new ArrayBuffer(2 * largeFrom));
  const pieces = gathered([shared.subarray(0, 10), shared.subarray(20, largeFrom)]);
  expect(movable(pieces)).toEqual([]);
  structuredClone(pieces, { transfer: movable(pieces) });
  expect(shared.byteLength).toBe(2 * largeFrom);
});
