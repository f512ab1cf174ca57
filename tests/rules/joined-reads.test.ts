import { expect, it } from 'vitest';
import { type JoinedRead, JoinedReads } from '../../packages/api/src/capacity/joined-reads.ts';

/** Reads that end when the test says so; what each was asked for. */
function reader() {
  const reads: { keys: number[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const what: JoinedRead<number, string> = {
    textOf: String,
    read: (_, keys) =>
      new Promise((resolve, reject) => {
        const number = reads.length;
        const found = new Map(
          keys.filter((key) => key >= 0).map((key) => [`${key}`, `${key} by read ${number}`]),
        );
        reads.push({ keys, answer: () => resolve(found), fail: reject });
      }),
  };
  const joined = new JoinedReads({ run: () => Promise.reject(new Error('nothing is asked of it')) });
  const ask = (key: number) => joined.read(what, key);
  return { reads, ask };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

it('reads for a lone caller at once, and returns undefined for a missing row', async () => {
  const { reads, ask } = reader();
  const [one, none] = [ask(1), ask(-1)];
  reads[0]?.answer();
  expect(await one).toBe('1 by read 0');
  await soon();
  reads[1]?.answer();
  expect(await none).toBeUndefined();
});

it('never answers from a read that began before the question', async () => {
  const { reads, ask } = reader();
  const first = ask(1);
  const [again, other, same] = [ask(1), ask(2), ask(1)];
  expect(reads.map(({ keys }) => keys)).toEqual([[1]]);
  reads[0]?.answer();
  expect(await first).toBe('1 by read 0');
  await soon();
  expect(reads.map(({ keys }) => keys)).toEqual([[1], [1, 2]]);
  const late = ask(2);
  reads[1]?.answer();
  expect(await Promise.all([again, other, same])).toEqual(['1 by read 1', '2 by read 1', '1 by read 1']);
  await soon();
  reads[2]?.answer();
  expect(await late).toBe('2 by read 2');
});

it('fails all who waited for a read that failed, and reads on for the others', async () => {
  const { reads, ask } = reader();
  const first = ask(1);
  const [second, third] = [ask(1), ask(2)];
  reads[0]?.fail(new Error('cut off'));
  await expect(first).rejects.toThrow('cut off');
  await soon();
  reads[1]?.answer();
  expect(await Promise.all([second, third])).toEqual(['1 by read 1', '2 by read 1']);
});

it('reads at most a hundred rows at once and leaves no caller waiting', async () => {
  const { reads, ask } = reader();
  const all = Array.from({ length: 251 }, (_, key) => ask(key));
  for (let read = 0; read < 4; read++) {
    reads[read]?.answer();
    await soon();
  }
  expect(reads.map(({ keys }) => keys.length)).toEqual([1, 100, 100, 50]);
  expect((await Promise.all(all)).map((text) => text?.split(' ')[0])).toEqual(all.map((_, key) => `${key}`));
});
