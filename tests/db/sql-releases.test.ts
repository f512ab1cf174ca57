import { describe, expect, test } from 'vitest';
import { ownRelease } from '../../packages/db/src/release/build.ts';
import { compareReleases, isBefore, sqlStateOf } from '../../packages/db/src/release/history.ts';

test('releases are ordered as semantic versioning says', () => {
  const ordered = [
    '0.1.0',
    '0.9.0',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '2.0.0',
    '10.0.0',
  ];
  for (const [left, a] of ordered.entries())
    for (const [right, b] of ordered.entries())
      expect([a, b, Math.sign(compareReleases(a, b))]).toEqual([a, b, Math.sign(left - right)]);
  expect(compareReleases('1.0.0+build.1', '1.0.0+build.2')).toBe(0);
});

const built = (version: string, minute: string, commit: string) =>
  `${version}+20270301T12${minute}00Z.${commit}`;

test('builds of one version are ordered by the time of their commits', () => {
  const ordered = [
    '0.1.0',
    built('0.2.0', '10', 'aaaaaaa'),
    built('0.2.0', '20', 'bbbbbbb'),
    built('0.2.0', '30', 'ccccccc'),
    built('0.2.1', '00', 'ddddddd'),
  ];
  for (const [left, a] of ordered.entries())
    for (const [right, b] of ordered.entries()) expect([a, b, isBefore(a, b)]).toEqual([a, b, left < right]);
});

test('a build of edited files or of an unknown commit comes before no build of its version, and before a later version', () => {
  const edited = built('0.2.0', '10', 'aaaaaaa-dirty');
  for (const own of [edited, '0.2.0']) {
    expect([own, isBefore(own, built('0.2.0', '20', 'bbbbbbb'))]).toEqual([own, false]);
    expect([own, isBefore(own, '0.2.1')]).toEqual([own, true]);
  }
  // A change that is undone must be applied, too.
  expect(isBefore(built('0.2.0', '10', 'aaaaaaa'), edited)).toBe(false);
  expect(isBefore(built('0.2.0', '09', 'bbbbbbb'), edited)).toBe(true);
});

test.each(['', '1', '1.0', 'v1.0.0', '1.0.0 ', 'latest'])('"%s" is no release', (text) => {
  expect(() => compareReleases(text, '1.0.0')).toThrow('is no version such as 1.20.3');
});

test('the release of this code is a release', () => {
  expect(compareReleases(ownRelease(), '0.0.0')).toBeGreaterThan(0);
});

test('what a newer build of the same version has made is left as it is', () => {
  const [older, newer] = [built('2.0.0', '10', 'aaaaaaa'), built('2.0.0', '20', 'bbbbbbb')];
  const latest = { hash: 'c', release: newer };
  expect(sqlStateOf([latest, { hash: 'b', release: older }], { hash: 'b', release: older })).toBe('followed');
  expect(sqlStateOf([latest], { hash: 'b', release: older })).toBe('outdated');
  expect(sqlStateOf([{ hash: 'b', release: older }], { hash: 'c', release: newer })).toBe('missing');
});

describe('release 2.0.0 with folder b', () => {
  const own = { hash: 'b', release: '2.0.0' };
  const [a1, b1, b2, c2, c3] = ['a 1.0.0', 'b 1.0.0', 'b 2.0.0', 'c 2.0.0', 'c 3.0.0'].map((text) => {
    const [hash = '', release = ''] = text.split(' ');
    return { hash, release };
  });
  test.each([
    ['never applied anything', [], 'missing'],
    ['follows another folder', [a1], 'missing'],
    ['was applied last', [b2, a1], 'applied'],
    ['has the folder of the release before', [b1, a1], 'applied'],
    ['was taken back to what an older one had', [a1, b1], 'missing'],
    ['was followed by a newer one', [c3, b2], 'followed'],
    ['was followed by a newer one that has its folder', [{ hash: 'b', release: '3.0.0' }, a1], 'applied'],
    ['was followed by another build of itself', [c2, b2], 'followed'],
    ['never was, and another build of it is', [c2, a1], 'missing'],
    ['never was, and a newer one is', [c3, a1], 'outdated'],
  ])('%s', (_, releases, state) => {
    expect(
      sqlStateOf(
        releases.filter((each) => each !== undefined),
        own,
      ),
    ).toBe(state);
  });
});
