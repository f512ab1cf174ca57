import { describe, expect, it, vi } from 'vitest';
import { complaintsOf } from './browser-project.ts';
import { usePublished } from './outside.ts';
import { right, wrong } from './programs.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const page = usePublished();

describe('in a browser project without the types of Node and of tRPC', () => {
  it('what is right compiles', async () => {
    const complaints = await complaintsOf(page, 'right.ts', Object.values(right));
    expect(complaints.map(({ index, text }) => [Object.keys(right)[index], text])).toEqual([]);
  });

  it('what is wrong does not, and is named', async () => {
    const complaints = await complaintsOf(
      page,
      'wrong.ts',
      wrong.map(([, code]) => code),
    );
    const found = wrong.map(([name], index) => [
      name,
      complaints.filter((complaint) => complaint.index === index).map(({ text }) => text),
    ]);
    expect(found).toEqual(wrong.map(([name, , text]) => [name, [expect.stringMatching(text)]]));
    expect(complaints).toHaveLength(wrong.length);
    expect(wrong.length).toBeGreaterThan(41);
  });
});
