import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from './settings-error.ts';

/** A key of 32 bytes that encrypts secrets at rest, and the id kept beside what it encrypted. */
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
  const parts = text.split(',').map((part) => part.trim());
  const isRing = parts.length > 1 || text.includes(':');
  const [first, ...others] = parts.map((part, index) => (isRing ? ringKey(part, index) : singleKey(part)));
  if (first === undefined) throw new SettingsError('ENCRYPTION_KEY: holds no key');
  const keys: [EncryptionKey, ...EncryptionKey[]] = [first, ...others];
  const repeated = keys.find(({ id }, index) => keys.findIndex((other) => other.id === id) !== index);
  if (repeated) throw new SettingsError(`ENCRYPTION_KEY: the key id "${repeated.id}" stands there twice`);
  return keys;
}

/** What a key is called that was given no id: a few digits of its hash. */
export function keyFingerprint(key: Buffer): string {
  return `k${sha256(key).toString('hex').slice(0, 12)}`;
}

/** Where `npm start` keeps the key that it made when none was set; one key or several, as in ENCRYPTION_KEY. */
export function encryptionKeyFile(dataDir: string): string {
  return join(dataDir, 'encryption-key');
}

/** What that file holds; null when there is none. */
export function readEncryptionKeyFile(dataDir: string): string | null {
  try {
    return readFileSync(encryptionKeyFile(dataDir), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

const minPassphraseCharacters = 32;

function singleKey(text: string): EncryptionKey {
  const key = readKey(text);
  if (key === undefined) {
    throw new SettingsError(
      'ENCRYPTION_KEY: must be 32 bytes in base64 or hex (make one with: openssl rand -base64 32)',
    );
  }
  return { id: keyFingerprint(key), key };
}

function ringKey(part: string, index: number): EncryptionKey {
  const [id, text] = part.includes(':') ? splitOnce(part) : [undefined, part];
  const key = readKey(text);
  if (key === undefined) {
    throw new SettingsError(`ENCRYPTION_KEY: key ${index + 1} must be 32 bytes in base64 or hex`);
  }
  if (id !== undefined && !/^[\w.-]{1,64}$/.test(id)) {
    throw new SettingsError(
      `ENCRYPTION_KEY: the id of key ${index + 1} must be 1 to 64 letters, digits, ".", "_" or "-"`,
    );
  }
  return { id: id ?? keyFingerprint(key), key };
}

// A passphrase stands in a ring as it stood alone: otherwise nobody could rotate away from it.
function readKey(text: string): Buffer | undefined {
  return decodeKey(text) ?? (text.length >= minPassphraseCharacters ? sha256(text) : undefined);
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}

function splitOnce(part: string): [string, string] {
  const colon = part.indexOf(':');
  return [part.slice(0, colon), part.slice(colon + 1)];
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
