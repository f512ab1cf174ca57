import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type EncryptionKey, keyFingerprint } from './settings/encryption-keys.ts';
import { SettingsError } from './settings/error.ts';

/** An encrypted secret as it is stored: 12 bytes of nonce, 16 of tag, then the ciphertext. */
export interface Sealed {
  keyId: string;
  sealed: Uint8Array;
}

/** The endpoint, or the call, that a secret belongs to. A secret sealed for one cannot be opened for another. */
export type SecretOwner = { locationId: string } & (
  | { endpointId: string }
  /** The call that is answered with it, by key, operation and idempotency key. */
  | { answerTo: string }
);

/** Encrypts with the first key, decrypts with whichever key the id names. */
export interface SecretBox {
  /** The id that new secrets are sealed with. */
  currentKeyId: string;
  /** The ids of all keys, the current one first. */
  keyIds: readonly string[];
  seal(plain: string, owner: SecretOwner): { keyId: string; sealed: Buffer<ArrayBuffer> };
  /** @throws {Error} when the key is not known, or the bytes, the key id or the owner are not those of `seal`. */
  open(stored: Sealed, owner: SecretOwner): string;
  /**
   * The same secret sealed as `seal` would today; undefined when it already is. @throws {Error} like `open`.
   */
  reseal(stored: Sealed, owner: SecretOwner): { keyId: string; sealed: Buffer<ArrayBuffer> } | undefined;
}

/** A new signing secret: `whsec_` and base64 of 32 random bytes, as Standard Webhooks has it. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** AES-256-GCM with a random nonce per secret; the key id and the owner are authenticated with it. */
export function createSecretBox(keys: readonly EncryptionKey[]): SecretBox {
  const [current] = keys;
  if (current === undefined) throw new SettingsError('ENCRYPTION_KEY: holds no key');
  // Known by fingerprint too: a key without an id keeps opening its secrets once it is given one.
  const known = new Map(
    keys.flatMap(({ id, key }) => [[keyFingerprint(key), key] as const, [id, key] as const]),
  );

  const seal = (plain: string, owner: SecretOwner) => {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', current.key, nonce);
    cipher.setAAD(Buffer.from(`${current.id}:${contextOf(owner)}`));
    const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return { keyId: current.id, sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]) };
  };

  function openAs({ keyId, sealed }: Sealed, context: string): string | undefined {
    const key = known.get(keyId);
    if (key === undefined) throw new Error(`ENCRYPTION_KEY does not hold the key "${keyId}"`);
    const nonce = sealed.subarray(0, nonceBytes);
    const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(`${keyId}:${context}`)).setAuthTag(tag);
      const text = decipher.update(sealed.subarray(nonceBytes + tagBytes));
      return Buffer.concat([text, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }

  function openFormer(stored: Sealed, owner: SecretOwner): string {
    const plain = 'endpointId' in owner ? openAs(stored, owner.endpointId) : undefined;
    if (plain !== undefined) return plain;
    throw new Error(
      `a secret sealed with the key "${stored.keyId}" cannot be opened: altered, moved, or another key`,
    );
  }

  return {
    currentKeyId: current.id,
    keyIds: keys.map(({ id }) => id),
    seal,
    open: (stored, owner) => openAs(stored, contextOf(owner)) ?? openFormer(stored, owner),
    reseal(stored, owner) {
      const plain = openAs(stored, contextOf(owner));
      if (plain !== undefined && stored.keyId === current.id) return undefined;
      return seal(plain ?? openFormer(stored, owner), owner);
    },
  };
}

const nonceBytes = 12;
const tagBytes = 16;

// The first secrets were tied to the endpoint alone; `openFormer` reads them until they are sealed again.
const contextOf = (owner: SecretOwner): string =>
  `${owner.locationId}/${'endpointId' in owner ? owner.endpointId : `answer/${owner.answerTo}`}`;
