import { expect, test } from 'vitest';
import { withProgress } from '../../packages/cli/src/progress.ts';

const screen = (isTTY: boolean) => {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => written.push(text) };
};

test('a terminal shows how far a work is, and nothing of it when it ends', async () => {
  const terminal = screen(true);
  const answer = await withProgress(async (report) => {
    report(0, 4, 'queue');
    report(3, 4, 'counts');
    return 7;
  }, terminal);
  expect(answer).toBe(7);
  expect(terminal.written).toEqual([
    `\r\u001b[K[${'.'.repeat(24)}] 0 %  queue`,
    `\r\u001b[K[${'#'.repeat(18)}${'.'.repeat(6)}] 75 %  counts`,
    '\r\u001b[K',
  ]);
});

test('the line goes when the work fails, too', async () => {
  const terminal = screen(true);
  const work = withProgress(async (report) => {
    report(0, 0);
    throw new Error('it fails');
  }, terminal);
  await expect(work).rejects.toThrow('it fails');
  expect(terminal.written.at(-1)).toBe('\r\u001b[K');
});

test('a file or a pipe gets nothing', async () => {
  const pipe = screen(false);
  await withProgress(async (report) => report(1, 2, 'queue'), pipe);
  expect(pipe.written).toEqual([]);
});
