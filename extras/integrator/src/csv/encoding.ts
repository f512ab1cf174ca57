import { UsageError } from '../usage-error.ts';

/** The text of a file, and which encoding it was read as. */
export interface Decoded {
  text: string;
  encoding: string;
}

/**
 * The text of a file: in the encoding that is asked for, of its byte order mark, or that it can only be.
 * @throws {UsageError} when it has another encoding, or none that can be known.
 */
export function decode(bytes: Uint8Array, asked?: string): Decoded {
  const encoding = asked === undefined ? (marked(bytes) ?? recognized(bytes)) : known(asked);
  if (encoding === 'windows-1252') return { text: decodeWindows1252(bytes), encoding: nameOf(encoding) };
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // A table has none. Text without a mark that was written in two bytes is full of them.
    if (text.includes('\0')) throw new UsageError(hasZeros);
    return { text, encoding: nameOf(encoding) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the file is not ${nameOf(encoding)}: give --encoding as it was written`);
  }
}

const hasZeros = 'the file holds zero bytes, which no text has: if it is UTF-16, give --encoding utf-16le';

const names: Readonly<Record<string, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'windows-1252': 'Windows-1252',
};
const nameOf = (encoding: string): string => names[encoding] ?? encoding;

function known(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    throw new UsageError(`--encoding ${label} is not known; there are ${Object.keys(names).join(', ')}`);
  }
}

function marked([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}

function recognized(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  const wrong = text.indexOf('\ufffd');
  if (wrong === -1) return 'utf-8';
  // Letters of UTF-8 next to bytes that are none: a damaged file, and no Windows-1252, where such pairs of signs make
  // no sense.
  if (!/[^\p{ASCII}\ufffd]/u.test(text)) return 'windows-1252';
  throw new UsageError(
    `line ${lineOf(text, wrong)} is not UTF-8, and other lines are: repair it, or give --encoding`,
  );
}

const lineOf = (text: string, index: number): number => text.slice(0, index).split(/\r\n|\r|\n/).length;

/** The signs of Windows-1252 at 0x80 to 0x9f. Some versions of Node decode these as control characters. */
const windowsSigns = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ';

function decodeWindows1252(bytes: Uint8Array): string {
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (sign) => windowsSigns.charAt(sign.charCodeAt(0) - 0x80));
  const zero = text.indexOf('\0');
  if (zero === -1) return text;
  if (bytes.includes(0)) throw new UsageError(hasZeros);
  throw new UsageError(
    `line ${lineOf(text, zero)} is neither UTF-8 nor Windows-1252: give --encoding as the file was written`,
  );
}
