import { createCipheriv, randomBytes } from 'node:crypto';
import { createSecretBox, newSigningSecret, parseEncryptionKeys } from '@comanda/db';
import { describe, expect, it } from 'vitest';

const base64Key = () => randomBytes(32).toString('base64');
const owner = { locationId: 'l', endpointId: 'e' };
const boxOf = (setting: string) => createSecretBox(parseEncryptionKeys(setting));

describe('newSigningSecret', () => {
  it('makes whsec_ and base64 of 32 bytes, another one each time', () => {
    const secrets = Array.from({ length: 100 }, newSigningSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(100);
  });
});

describe('the secret box', () => {
  it('opens what it sealed, for the same endpoint of the same location alone', () => {
    const box = boxOf(base64Key());
    const secret = newSigningSecret();
    const stored = box.seal(secret, owner);
    expect(box.open(stored, owner)).toBe(secret);
    for (const other of [
      { locationId: 'l', endpointId: 'f' },
      { locationId: 'm', endpointId: 'e' },
    ])
      expect(() => box.open(stored, other)).toThrow('cannot be opened');
  });

  it('opens what comes back from the database as plain bytes', () => {
    const box = boxOf(base64Key());
    const { keyId, sealed } = box.seal('plain', owner);
    expect(box.open({ keyId, sealed: new Uint8Array(sealed) }, owner)).toBe('plain');
  });

  it('never shows the secret in what it stores, nor stores the same bytes twice', () => {
    const box = boxOf(base64Key());
    const secret = newSigningSecret();
    const [first, second] = [box.seal(secret, owner), box.seal(secret, owner)];
    expect(first.sealed.equals(second.sealed)).toBe(false);
    expect(first.sealed.includes(secret.slice(6))).toBe(false);
  });

  it('notices every altered byte, and every cut', () => {
    const box = boxOf(base64Key());
    const { keyId, sealed } = box.seal(newSigningSecret(), owner);
    for (let at = 0; at < sealed.length; at++) {
      const altered = Buffer.from(sealed);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => box.open({ keyId, sealed: altered }, owner)).toThrow('cannot be opened');
      expect(() => box.open({ keyId, sealed: sealed.subarray(0, at) }, owner)).toThrow('cannot be opened');
    }
  });

  it('names the key that is missing', () => {
    const stored = boxOf(`k-2025:${base64Key()}`).seal('plain', owner);
    expect(() => boxOf(base64Key()).open(stored, owner)).toThrow('does not hold the key "k-2025"');
  });

  it('seals with the first key and opens with every other one, through a rotation', () => {
    const [old, fresh] = [base64Key(), base64Key()];
    const before = boxOf(old).seal('plain', owner);
    const rotated = boxOf(`2026:${fresh}, 2025:${old}`);
    expect(rotated.open(before, owner)).toBe('plain');
    expect(rotated.seal('plain', owner).keyId).toBe('2026');
    expect(rotated.currentKeyId).toBe('2026');
    expect(() => boxOf(`2026:${fresh}`).open(before, owner)).toThrow('does not hold the key');
    const unnamed = boxOf(`${fresh},${old}`);
    expect(unnamed.open(before, owner)).toBe('plain');
  });
});

describe('sealing anew', () => {
  // As the first release sealed: tied to the endpoint alone.
  const formerly = (setting: string, secret: string) => {
    const [{ id, key }] = parseEncryptionKeys(setting);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(`${id}:e`));
    const text = Buffer.concat([cipher.update(secret), cipher.final()]);
    return { keyId: id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  };

  it('leaves alone what the current key sealed, and moves what another one did', () => {
    const [old, fresh] = [base64Key(), base64Key()];
    const box = boxOf(`2026:${fresh},${old}`);
    expect(box.reseal(box.seal('plain', owner), owner)).toBeUndefined();
    const moved = box.reseal(boxOf(old).seal('plain', owner), owner);
    expect(moved?.keyId).toBe('2026');
    expect(boxOf(`2026:${fresh}`).open({ keyId: '2026', sealed: moved?.sealed ?? Buffer.of() }, owner)).toBe(
      'plain',
    );
  });

  it('opens what was tied to the endpoint alone, and ties it to the location too', () => {
    const old = base64Key();
    const [box, stored] = [boxOf(old), formerly(old, 'plain')];
    expect(box.open(stored, owner)).toBe('plain');
    const moved = box.reseal(stored, owner);
    if (moved === undefined) throw new Error('it was left as it was');
    expect(box.open(moved, owner)).toBe('plain');
    expect(() => box.open(moved, { locationId: 'm', endpointId: 'e' })).toThrow('cannot be opened');
  });

  it('refuses to seal again a secret that it cannot open', () => {
    const stored = boxOf(base64Key()).seal('plain', owner);
    expect(() => boxOf(base64Key()).reseal(stored, owner)).toThrow('does not hold the key');
  });

  it('leads away from a passphrase, named or not', () => {
    const passphrase = 'a pass phrase that is long enough!';
    const stored = boxOf(passphrase).seal('plain', owner);
    expect(boxOf(`2026:${base64Key()},${passphrase}`).open(stored, owner)).toBe('plain');
    expect(boxOf(`2026:${base64Key()},old:${passphrase}`).open(stored, owner)).toBe('plain');
  });
});

describe('parseEncryptionKeys', () => {
  it('reads 32 bytes in base64, base64url or hex as the same key', () => {
    const key = randomBytes(32);
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      expect(parseEncryptionKeys(key.toString(encoding))[0].key).toEqual(key);
    }
  });

  it('derives a key from any other text of 32 characters or more, the same each time', () => {
    const [first] = parseEncryptionKeys('a pass phrase that is long enough!');
    expect(first.key).toHaveLength(32);
    expect(parseEncryptionKeys('a pass phrase that is long enough!')[0]).toEqual(first);
    expect(parseEncryptionKeys('a pass phrase that is long enough?')[0].key).not.toEqual(first.key);
  });

  it.each([
    ['', 'must be 32 bytes in base64 or hex'],
    ['hunter2', 'must be 32 bytes in base64 or hex'],
    [`a:${'k'.repeat(43)},b:hunter2`, 'key 2 must be 32 bytes in base64 or hex'],
    [`a:${'k'.repeat(43)},`, 'key 2 must be 32 bytes in base64 or hex'],
    [`a b:${'k'.repeat(43)}`, 'the id of key 1 must be'],
    [`a:${'k'.repeat(43)},a:${'j'.repeat(43)}`, 'the key id "a" appears twice'],
  ])('refuses %j by a SettingsError that names the variable and never the text', (text, message) => {
    const parse = () => parseEncryptionKeys(text);
    expect(parse).toThrow(expect.objectContaining({ name: 'SettingsError' }));
    expect(parse).toThrow(`ENCRYPTION_KEY: ${message}`);
    expect(parse).not.toThrow(/hunter2|kkkk/);
  });
});
