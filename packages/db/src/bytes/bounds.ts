// Every bound in bytes on text that a process gathers, in UTF-8. One entry may always pass, however large it is, so that
// nothing is held up for good: what is gathered is at most the bound and one entry.

const KiB = 1_024;
const MiB = 1_024 * KiB;

/** A page of a list or of the feed, a look for new events, a piece of an export: each ends with the entry that reaches it. */
export const pageBytes = 4 * MiB;

/**
 * The bytes that the relay reads of resources before it stores their events, and the events that it stores in one
 * statement.
 */
export const publishingBytes = 4 * MiB;

/** The budget that several share in one process, in bytes; see `createByteBudget`. */
export interface ByteShares {
  /** Together. */
  all: number;
  /** One of them at most. */
  each: number;
  /** One of them may always have it, however much the others have. */
  always: number;
}

/** Bodies that a worker has claimed and not sent to the end, shared among endpoints. */
export const deliveryBytes: ByteShares = { all: 8 * MiB, each: MiB, always: 256 * KiB };

/** Events that wait for the readers of streams in an API process, shared among locations. */
export const streamBytes: ByteShares = { all: 64 * MiB, each: 16 * MiB, always: 256 * KiB };

/** Events that wait for one reader of a stream: from there on it reads the feed by itself. */
export const readerBytes = 512 * KiB;
