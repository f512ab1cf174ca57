import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from './error.ts';
import { forms } from './forms.mjs';

/** A key of 32 bytes that encrypts secrets at rest, and the id kept with each ciphertext. */
export interface EncryptionKey {
  id: string;
  key: Buffer;
}

/**
 * Reads the setting ENCRYPTION_KEY. One key: 32 bytes in base64 or hex, or any other text of 32 characters or
 * more (its hash is the key). Several, the first being current: `id:key` separated by commas; without `id:` the
 * key's fingerprint is its id.
 *
 * @throws {SettingsError} which says what is wrong and where, never the text.
 */
export function parseEncryptionKeys(text: string): [EncryptionKey, ...EncryptionKey[]] {
  const fault = forms.ENCRYPTION_KEY?.(text);
  if (fault !== undefined) throw new SettingsError(`ENCRYPTION_KEY: ${fault}`);
  const [first, ...others] = text.split(',').map((part) => readKey(part.trim()));
  if (first === undefined) throw new SettingsError('ENCRYPTION_KEY: holds no key');
  const keys: [EncryptionKey, ...EncryptionKey[]] = [first, ...others];
  const repeated = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index);
  if (repeated) throw new SettingsError(`ENCRYPTION_KEY: the key id "${repeated.id}" appears twice`);
  return keys;
}

/** The name of a key that was given no id: a few digits of its hash. */
export function keyFingerprint(key: Buffer): string {
  return `k${sha256(key).toString('hex').slice(0, 12)}`;
}

/** Where `npm start` keeps the key that it made when none was set; one key or several, as in ENCRYPTION_KEY. */
export function encryptionKeyFile(dataDir: string): string {
  return join(dataDir, 'encryption-key');
}

/** The contents of that file; null when there is none. */
export function readEncryptionKeyFile(dataDir: string): string | null {
  try {
    return readFileSync(encryptionKeyFile(dataDir), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

function readKey(part: string): EncryptionKey {
  const colon = part.indexOf(':');
  const text = part.slice(colon + 1);
  // A passphrase is used among several as it was alone: otherwise a rotation away from it would be
  // impossible.
  const key = decodeKey(text) ?? sha256(text);
  return { id: colon < 0 ? keyFingerprint(key) : part.slice(0, colon), key };
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
