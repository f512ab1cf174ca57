import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { SettingsError } from '@comanda/db';

/** A key of 32 bytes that encrypts secrets at rest, and the id kept beside what it encrypted. */
export interface EncryptionKey {
  id: string;
  key: Buffer;
}

/** An encrypted secret as it is stored: 12 bytes of nonce, 16 of tag, then the ciphertext. */
export interface Sealed {
  keyId: string;
  sealed: Uint8Array;
}

/** Encrypts with the first key, decrypts with whichever key the id names. `context` ties a secret to its place. */
export interface SecretBox {
  /** The id that new secrets are sealed with. */
  currentKeyId: string;
  seal(plain: string, context: string): { keyId: string; sealed: Buffer<ArrayBuffer> };
  /** @throws {Error} when the key is not known, or the bytes, the key id or the context are not those of `seal`. */
  open(stored: Sealed, context: string): string;
}

/** A new signing secret: `whsec_` and base64 of 32 random bytes, as Standard Webhooks has it. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;
}

/** AES-256-GCM with a random nonce per secret; the key id and the context are authenticated with it. */
export function createSecretBox(keys: readonly EncryptionKey[]): SecretBox {
  const [current] = keys;
  if (current === undefined) throw new SettingsError('ENCRYPTION_KEY: holds no key');
  // Known by fingerprint too: a key without an id keeps opening its secrets once it is given one.
  const known = new Map(
    keys.flatMap(({ id, key }) => [[fingerprint(key), key] as const, [id, key] as const]),
  );
  return {
    currentKeyId: current.id,
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
      cipher.setAAD(Buffer.from(`${current.id}:${context}`));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return { keyId: current.id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
    },
    open({ keyId, sealed }, context) {
      const key = known.get(keyId);
      if (key === undefined) throw new Error(`ENCRYPTION_KEY does not hold the key "${keyId}"`);
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(`${keyId}:${context}`)).setAuthTag(tag);
        const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        throw new Error(
          `a secret sealed with the key "${keyId}" cannot be opened: altered, moved, or another key`,
        );
      }
    },
  };
}

/**
 * Reads the setting ENCRYPTION_KEY. One key: 32 bytes in base64 or hex, or any other text of 32 characters or
 * more (its hash is the key). Several, the first being current: `id:key` separated by commas, keys in base64
 * or hex; without `id:` the key's fingerprint is its id.
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

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MIN_PASSPHRASE_CHARACTERS = 32;

function singleKey(text: string): EncryptionKey {
  const key = decodeKey(text) ?? (text.length >= MIN_PASSPHRASE_CHARACTERS ? sha256(text) : undefined);
  if (key === undefined) {
    throw new SettingsError(
      'ENCRYPTION_KEY: must be 32 bytes in base64 or hex (make one with: openssl rand -base64 32)',
    );
  }
  return { id: fingerprint(key), key };
}

function ringKey(part: string, index: number): EncryptionKey {
  const [id, text] = part.includes(':') ? splitOnce(part) : [undefined, part];
  const key = decodeKey(text);
  if (key === undefined) {
    throw new SettingsError(`ENCRYPTION_KEY: key ${index + 1} must be 32 bytes in base64 or hex`);
  }
  if (id !== undefined && !/^[\w.-]{1,64}$/.test(id)) {
    throw new SettingsError(
      `ENCRYPTION_KEY: the id of key ${index + 1} must be 1 to 64 letters, digits, ".", "_" or "-"`,
    );
  }
  return { id: id ?? fingerprint(key), key };
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

function fingerprint(key: Buffer): string {
  return `k${sha256(key).toString('hex').slice(0, 12)}`;
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
