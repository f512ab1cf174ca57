import { randomFillSync } from 'node:crypto';

/** A new UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then randomness. Ids sort by time of making. */
export function newId(now: number = Date.now()): string {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  const bytes = Buffer.from(pool.subarray(offset, offset + 16));
  offset += 16;
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the text can be an id of this service; ids are opaque, so anything else simply does not exist. */
export function isId(text: string): boolean {
  return uuidPattern.test(text);
}

// Random bytes are drawn many at a time: one system call per id would cost more than the id.
const pool = Buffer.alloc(16 * 256);
let offset = pool.length;
