import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Receipt } from '../faults/support/consumer.ts';

/** One arrival of an event, as the consumer notes it. */
export interface JournalLine {
  /** Of the endpoint. */
  name: string;
  id: string;
  type: string;
  /** Of the body. */
  digest: string;
  attempt: number;
  /** When it arrived, in ms since the epoch. */
  at: number;
  /** The answer; absent when the sender had ended before. */
  status?: number;
  /** Why it is not what was promised: a signature or a header that is wrong. */
  fault?: string;
}

/** The arrivals so far, read from the consumer's journal. */
export interface Journal {
  /** By `${name of the endpoint} ${event id}`; times in ms since the epoch. */
  receipts: ReadonlyMap<string, Receipt>;
  faults: string[];
  arrivals(): number;
  /** When the last arrival came. */
  lastAt(): number;
  /** Reads on from where it stopped. */
  read(): void;
}

/** Opens it; the file may come later. */
export function openJournal(file: string): Journal {
  const receipts = new Map<string, Receipt>();
  const faults: string[] = [];
  let offset = 0;
  let arrivals = 0;
  let lastAt = 0;

  const take = ({ name, id, type, digest, attempt, at, status, fault }: JournalLine) => {
    const key = `${name} ${id}`;
    const receipt = receipts.get(key) ?? { eventId: id, type, digest, arrivals: [] };
    receipts.set(key, receipt);
    receipt.arrivals.push({ attempt, at, ...(status !== undefined && { status }) });
    if (receipt.digest !== digest) faults.push(`${type} ${id} came again with another body`);
    if (fault !== undefined) faults.push(`${type} ${id}: ${fault}`);
    arrivals += 1;
    lastAt = Math.max(lastAt, at);
  };

  return {
    receipts,
    faults,
    arrivals: () => arrivals,
    lastAt: () => lastAt,
    read() {
      const text = existsSync(file) ? readFrom(file, offset) : '';
      offset += Buffer.byteLength(text);
      for (const line of text.split('\n')) {
        const parsed = parseLine(line);
        if (parsed !== undefined) take(parsed);
      }
    },
  };
}

/** Undefined for a line that its writer did not live to finish: it was never answered. */
function parseLine(line: string): JournalLine | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as JournalLine);
  } catch {
    return undefined;
  }
}

/** Whole lines alone. */
function readFrom(file: string, offset: number): string {
  const opened = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(opened).size - offset);
    readSync(opened, bytes, 0, bytes.length, offset);
    return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1).toString('utf8');
  } finally {
    closeSync(opened);
  }
}
