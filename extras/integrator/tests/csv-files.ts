/** The bytes of a text in an encoding, without a mark. */
export function written(text: string, encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  return Buffer.from(Array.from(text, byteOf));
}

const decoder = new TextDecoder('windows-1252');
const bytesBySign = new Map(
  Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
);
// The signs at 0x80 to 0x9f; some versions of Node decode these as Latin-1.
for (const [index, sign] of [...'€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'].entries())
  if (sign !== ' ') bytesBySign.set(sign, 0x80 + index);

function byteOf(sign: string): number {
  const byte = bytesBySign.get(sign);
  if (byte === undefined) throw new Error(`Windows-1252 has no ${sign}`);
  return byte;
}

const marked = (mark: number[], bytes: Buffer) => Buffer.concat([Buffer.from(mark), bytes]);

/** Every encoding that is recognized: how a file of it is written, and the message about it. */
export const encodings: Readonly<Record<string, { bytes: (text: string) => Buffer; said: string }>> = {
  'UTF-8': { bytes: (text) => written(text, 'utf-8'), said: 'UTF-8' },
  'UTF-8 with a mark': { bytes: (text) => marked([0xef, 0xbb, 0xbf], written(text, 'utf-8')), said: 'UTF-8' },
  'UTF-16LE': { bytes: (text) => marked([0xff, 0xfe], written(text, 'utf-16le')), said: 'UTF-16LE' },
  'UTF-16BE': { bytes: (text) => marked([0xfe, 0xff], written(text, 'utf-16be')), said: 'UTF-16BE' },
  'Windows-1252': { bytes: (text) => written(text, 'windows-1252'), said: 'Windows-1252' },
};
