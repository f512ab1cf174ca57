import { comandaError, noAnswer } from '../index.ts';
import type { Known } from './known.ts';
import type { Item, LiveRow } from './rows.ts';
import type { ListQuery } from './view.ts';

/** A page of a list. @internal */
export interface Page {
  data: Item[];
  pagination: { limit: number; total: number; next?: string };
}

/** Reads a list, and single entries of it. @internal */
export interface Reader {
  /** Reads the list now. One that is under way is given up: it may be from before. */
  read(): void;
  /** Reads the list unless that has begun by then. */
  readSoon(): void;
  /** Reads the list after what changed it, not too often. */
  again(): void;
  /** Reads an entry. */
  want(id: string): void;
  /** Whether an entry is being read: the answer may be from before what an event says now. */
  isAsking(id: string): boolean;
  /** Gives up the entries that are being read, of a connection that may be dead: a reading of the list follows. */
  giveUp(): void;
  stop(): void;
}

/** The dependencies of a reader. @internal */
export interface ReaderOptions {
  row: LiveRow;
  known: Known;
  query: ListQuery;
  readPage(input: Record<string, unknown>, signal: AbortSignal): Promise<Page>;
  refresh(id: string): Promise<() => void>;
  onRead(total: number, count: number): void;
  onFail(error: unknown): void;
  /** An entry that was wanted was read. */
  onAsked(id: string): void;
}

/** A first reading that waits for the stream is made once; without a stream it is made after this. */
const withoutStreamMs = 300;
const againMs = 2_000;
const retryMs = 5_000;
const largestPage = 200;
/** As many as share a request. */
const mostAtOnce = 10;
/** Beyond so many changed entries a page, the list costs less than they do. */
const mostWanted = 50;

/** @internal */
export function createReader({ row, known, query, readPage, refresh, ...on }: ReaderOptions): Reader {
  const wanted = new Set<string>();
  const asked = new Set<string>();
  let reading: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let soon: ReturnType<typeof setTimeout> | undefined;
  let lastBegan = Number.NEGATIVE_INFINITY;
  let pages = 1;
  let round = 0;

  async function readAll(signal: AbortSignal): Promise<{ items: Item[]; total: number }> {
    const { filters, include, sort, order, most } = query;
    const items = new Map<string, Item>();
    // Read as changes, an entry that changes meanwhile comes again, and moves no other one off a page.
    let next: Record<string, unknown> = { updated_since: '1970-01-01T00:00:00Z' };
    while (row.reads === undefined) {
      const { data, pagination } = await readPage({ ...filters, ...next, limit: largestPage }, signal);
      for (const item of data) items.set(row.idOf(item), item);
      if (data.length < pagination.limit || pagination.next === undefined)
        return { items: [...items.values()], total: items.size };
      next = { cursor: pagination.next };
    }
    for (let offset = 0, page = 1; ; page += 1) {
      const limit = Math.min(largestPage, most);
      const asking = {
        ...filters,
        include: [...new Set([...include, 'revision'])],
        sort,
        order,
        limit,
        offset,
      };
      const { data, pagination } = await readPage(asking, signal);
      for (const item of data) items.set(row.idOf(item), item);
      offset += pagination.limit;
      pages = page;
      if (data.length < pagination.limit || offset >= most)
        return { items: [...items.values()].slice(0, most), total: pagination.total };
    }
  }

  function read(): void {
    reading?.abort();
    clearTimeout(timer);
    clearTimeout(soon);
    timer = undefined;
    wanted.clear();
    lastBegan = performance.now();
    reading = new AbortController();
    const { signal } = reading;
    const began = known.begin(true);
    readAll(signal).then(
      ({ items, total }) => {
        if (signal.aborted) return;
        reading = undefined;
        known.replace(items, began);
        on.onRead(total, items.length);
        // An entry that left meanwhile moved another one from the next page to one that was read.
        if (items.length < Math.min(total, query.most)) again();
        flush();
      },
      (error) => {
        if (signal.aborted) return;
        reading = undefined;
        known.fail();
        on.onFail(error);
        if (mayPass(error)) timer = setTimeout(read, retryMs);
      },
    );
  }

  function again(): void {
    timer ??= setTimeout(read, Math.max(0, lastBegan + againMs - performance.now()));
  }

  function flush(): void {
    if (wanted.size > mostWanted * pages) {
      again();
      return;
    }
    for (const id of wanted) {
      if (asked.size >= mostAtOnce) return;
      wanted.delete(id);
      void ask(id);
    }
  }

  function giveUp(): void {
    round += 1;
    for (const each of [wanted, asked]) each.clear();
  }

  async function ask(id: string): Promise<void> {
    asked.add(id);
    const own = round;
    try {
      const put = await refresh(id);
      if (own !== round) return;
      put();
    } catch {
      // The list says what is true of it, as soon as it can be read.
      if (own === round) again();
    } finally {
      if (own === round) {
        asked.delete(id);
        on.onAsked(id);
        flush();
      }
    }
  }

  return {
    read,
    again,
    readSoon() {
      if (reading === undefined) soon = setTimeout(read, withoutStreamMs);
    },
    want(id) {
      if (wanted.add(id).size === 1) setTimeout(flush);
    },
    isAsking: (id) => asked.has(id),
    giveUp,
    stop() {
      giveUp();
      reading?.abort();
      reading = undefined;
      clearTimeout(timer);
      clearTimeout(soon);
      timer = undefined;
    },
  };
}

/** Whether a call that failed may be answered later. @internal */
export function mayPass(error: unknown): boolean {
  const status = comandaError(error)?.httpStatus;
  return status === undefined ? noAnswer(error) !== undefined : status === 429 || status >= 500;
}
