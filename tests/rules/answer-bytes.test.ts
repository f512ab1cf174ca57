import { expect, test } from 'vitest';
import { answerBoundsFor, bounds, slotBoundsFor } from '../../packages/api/src/capacity/bounds.ts';
import { AnswerBytes, type Reply } from '../../packages/api/src/capacity/bytes.ts';

const MiB = 1024 ** 2;
const text = 'x'.repeat(MiB);

/** A reply that is open until `close`. */
function open(): Reply & { close(): void } {
  const waiting: (() => void)[] = [];
  return {
    held: 0,
    whenClosed: (done) => waiting.push(done) > 0,
    close: () => {
      for (const done of waiting.splice(0)) done();
    },
  };
}

test('a location whose callers take no answers is refused further ones, others are not, and all is given back', () => {
  const bytes = new AnswerBytes({ all: 4 * MiB, location: 2 * MiB });
  const [first, second] = [open(), open()];
  bytes.hold('a', first, text, 1);
  expect(() => bytes.ask('a', second)).not.toThrow();
  bytes.hold('a', second, text, 1);
  expect(() => bytes.ask('a', open())).toThrow(
    expect.objectContaining({ reason: 'location_busy', status: 503 }),
  );
  expect(() => bytes.ask('b', open())).not.toThrow();
  first.close();
  expect(() => bytes.ask('a', open())).not.toThrow();
  second.close();
  expect(() => bytes.ask('a', open())).not.toThrow();
});

test('locations that are refused nothing by themselves reach the bound of the process together', () => {
  const bytes = new AnswerBytes({ all: 4 * MiB, location: 2 * MiB });
  const replies = ['a', 'b', 'c', 'd'].map((location) => {
    const reply = open();
    bytes.hold(location, reply, text, 1);
    return reply;
  });
  expect(() => bytes.ask('e', open())).toThrow(
    expect.objectContaining({ reason: 'temporarily_unavailable', status: 503 }),
  );
  replies[0]?.close();
  expect(() => bytes.ask('e', open())).not.toThrow();
});

test('a request is not refused by its own answers, and a short answer does not count', () => {
  const bytes = new AnswerBytes({ all: 2 * MiB, location: MiB });
  const reply = open();
  bytes.hold('a', reply, text, 8);
  expect(() => bytes.ask('a', reply)).not.toThrow();
  expect(() => bytes.ask('a', open())).toThrow();
  reply.close();
  for (let count = 0; count < 100; count += 1) bytes.hold('a', open(), 'x'.repeat(60_000), 1);
  expect(() => bytes.ask('a', open())).not.toThrow();
});

test('an answer whose caller has gone is not counted for ever', () => {
  const bytes = new AnswerBytes({ all: 2 * MiB, location: MiB });
  bytes.hold('a', { held: 0, whenClosed: () => false }, text, 8);
  expect(() => bytes.ask('a', open())).not.toThrow();
});

test('a small heap has fewer reads at once and fewer bytes of answers; an ordinary one has all', () => {
  expect(slotBoundsFor(144 * MiB).kind.query).toBe(1);
  expect(slotBoundsFor(304 * MiB).kind.query).toBe(4);
  expect(slotBoundsFor(2_096 * MiB).kind.query).toBe(bounds.slots.kind.query);
  expect(answerBoundsFor(144 * MiB)).toEqual({ all: 36 * MiB, location: 18 * MiB });
  expect(answerBoundsFor(4_144 * MiB)).toEqual({ all: 512 * MiB, location: 256 * MiB });
});
