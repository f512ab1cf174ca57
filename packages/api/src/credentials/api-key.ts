import { hash as digest, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Makes a key: `cmd_live_`, 192 random bits and a checksum, all in letters and digits. `hash` is what is stored;
 * `prefix` is its beginning, enough to recognise it by and far too little to guess it from.
 */
export function newApiKey(): { key: string; hash: Buffer; prefix: string } {
  const secret = base62(BigInt(`0x${randomBytes(24).toString('hex')}`), secretLength);
  const key = `${keyPrefix}${secret}${checksum(secret)}`;
  return { key, hash: sha256(key), prefix: key.slice(0, keyPrefix.length + 4) };
}

/** The SHA-256 of a well-formed key, or undefined: what was mistyped or made up never reaches the database. */
export function parseApiKey(text: string): Buffer | undefined {
  if (!keyPattern.test(text)) return undefined;
  const secret = text.slice(keyPrefix.length, -checksumLength);
  return text.endsWith(checksum(secret)) ? sha256(text) : undefined;
}

const keyPrefix = 'cmd_live_';
const keyPattern = /^cmd_live_[0-9A-Za-z]{39}$/;
// 33 digits of base 62 hold 196 bits, 6 hold 35.
const secretLength = 33;
const checksumLength = 6;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const sha256 = (text: string): Buffer => digest('sha256', text, 'buffer');

function checksum(secret: string): string {
  let text = '';
  for (let rest = crc32(secret); rest > 0; rest = Math.floor(rest / 62))
    text = digits.charAt(rest % 62) + text;
  return text.padStart(checksumLength, '0');
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
