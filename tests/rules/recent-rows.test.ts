import { describe, expect, it } from 'vitest';
import { RecentRows } from '../../packages/api/src/resources/orders/facts.store.ts';

const rows = (most: number) => new RecentRows<{ version: number }>(most, ({ version }) => version);

describe('a row that orders are decided from', () => {
  it('is remembered once two reads have found it alike', () => {
    const recent = rows(2);
    recent.add('tea', { version: 1 });
    expect(recent.get('tea')).toBeUndefined();
    recent.add('tea', { version: 1 });
    expect(recent.get('tea')).toEqual({ version: 1 });
  });

  it('is forgotten when it changed, until it is found alike again', () => {
    const recent = rows(2);
    for (const version of [1, 1, 2]) recent.add('tea', { version });
    expect(recent.get('tea')).toBeUndefined();
    recent.add('tea', { version: 2 });
    expect(recent.get('tea')).toEqual({ version: 2 });
  });

  it('goes for others when it was read the longest time ago', () => {
    const recent = rows(2);
    for (const key of ['tea', 'tea', 'cake', 'cake', 'tea', 'soup', 'soup']) recent.add(key, { version: 1 });
    expect(['tea', 'cake', 'soup'].map((key) => recent.get(key)?.version)).toEqual([1, undefined, 1]);
  });
});
