import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseApiKey } from '../../packages/api/src/credentials/api-key.ts';
import { unknownKey } from '../support/factories.ts';

describe('the text of a key', () => {
  test('is found by a secret scanner, is never the same twice, and is not stored', () => {
    const keys = Array.from({ length: 200 }, () => unknownKey());
    for (const { key, prefix } of keys) {
      expect(key).toMatch(/^cmd_live_00000000_[0-9A-Za-z]{39}$/);
      expect(key.startsWith(prefix)).toBe(true);
      expect(prefix).toHaveLength('cmd_live_00000000_'.length + 4);
    }
    expect(new Set(keys.map(({ key }) => key)).size).toBe(200);
  });

  test.each([
    ['live', false],
    ['test', true],
  ])(
    'of a %s key parses to the hash that is stored, and not at all with any character altered',
    (kind, sandbox) => {
      const { key, hash } = unknownKey({ sandbox });
      expect(key).toMatch(new RegExp(`^cmd_${kind}_00000000_[0-9A-Za-z]{39}$`));
      expect(parseApiKey(key.replace(kind, kind === 'live' ? 'test' : 'live'))).toBeUndefined();
      expect(parseApiKey(key)).toEqual({ hash, code: '00000000' });
      for (let index = 9; index < key.length; index += 1) {
        const other = key.charAt(index) === 'x' ? 'y' : 'x';
        expect(parseApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBeUndefined();
      }
    },
  );

  test.each([
    ['live', 'cmd_live_2TAFuVSNz07DNnE13v1tpJHsPWlHprmBV0R0psi'],
    ['test', 'cmd_test_2VXOeU4eqbEj27zY2h0hFgRAPEjkq5bPO1xy1Oe'],
  ])('of a %s key without a code, as they were made at first, is read as before', (kind, key) => {
    expect(parseApiKey(key)).toEqual({ hash: createHash('sha256').update(key).digest(), code: undefined });
    expect(parseApiKey(key.replace(kind, kind === 'live' ? 'test' : 'live'))).toBeUndefined();
    expect(parseApiKey(key.replace(`_${kind}_`, `_${kind}_00000000_`))).toBeUndefined();
  });
});
