import { hash as digest, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Makes a key of the location with this code: `cmd_live_`, or `cmd_test_` for a sandbox, the code, 192 random bits and
 * a checksum, all in letters and digits. `hash` is what is stored; `prefix` is its beginning, enough to recognize it by
 * and far too little to guess it from.
 */
export function newApiKey({ code, sandbox = false }: { code: string; sandbox?: boolean }): {
  key: string;
  hash: Buffer;
  prefix: string;
} {
  const beginning = `${sandbox ? 'cmd_test_' : 'cmd_live_'}${code}_`;
  const secret = base62(BigInt(`0x${randomBytes(24).toString('hex')}`), secretLength);
  const key = `${beginning}${secret}${checksum(beginning + secret)}`;
  return { key, hash: sha256(key), prefix: key.slice(0, beginning.length + 4) };
}

/** A well-formed key. */
export interface ParsedKey {
  /** The SHA-256 of its text. */
  hash: Buffer;
  /** The code of its location; keys of the first form have none. */
  code: string | undefined;
}

/** The content of a well-formed key, or undefined: a mistyped or invented key never reaches the database. */
export function parseApiKey(text: string): ParsedKey | undefined {
  const parts = keyPattern.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { code } = parts;
  // A live key without a code has a checksum of its secret alone.
  const covered = text.slice(
    code === undefined && parts.kind === 'live' ? 'cmd_live_'.length : 0,
    -checksumLength,
  );
  return text.endsWith(checksum(covered)) ? { hash: sha256(text), code } : undefined;
}

// 33 digits of base 62 hold 196 bits, 6 hold 35. The code is that of locations_code_check.
const keyPattern = /^cmd_(?<kind>live|test)_(?:(?<code>[0-9a-hjkmnp-tv-z]{8})_)?[0-9A-Za-z]{39}$/;
const secretLength = 33;
const checksumLength = 6;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const sha256 = (text: string): Buffer => digest('sha256', text, 'buffer');

const checksum = (covered: string): string => base62(BigInt(crc32(covered)), checksumLength);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}
