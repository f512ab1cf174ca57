import { expect } from 'vitest';
import type { Answer } from './api.ts';

/** An entry of a list of stock, products or orders. */
export type Entry = Record<string, unknown>;

/** A reader of changes that knows only the links it is given. */
export interface Reader {
  /** The last that it has met of each resource, by id. */
  view: Map<string, Entry>;
  /** Follows the links to the end; the ids it met, page by page in their order, those of deletions behind a `-`. `between` runs after each page but the last. */
  walk(between?: () => Promise<unknown>): Promise<string[]>;
}

interface ChangesBody {
  data: Entry[];
  deleted?: { id: string; deleted_at: string }[];
  pagination: { limit: number };
}

/** Calls REST: `GET /v2/stock`. */
type Get = (route: string) => Promise<Answer>;

export const idOf = (entry: Entry): string => String(entry.product_id ?? entry.id);

/** Begins to read `path` (`/v2/stock?limit=100`) from the first change that there ever was. */
export function readChangesOf(get: Get, path: string): Reader {
  let next = `${path}${path.includes('?') ? '&' : '?'}updated_since=1970-01-01T00:00:00Z`;
  const view = new Map<string, Entry>();
  return {
    view,
    async walk(between) {
      const met: string[] = [];
      for (let page = 0; page < 1_000; page += 1) {
        const answer = await get(`GET ${next}`);
        expect(answer.status, answer.text).toBe(200);
        next = nextOf(answer);
        const { data, deleted = [], pagination } = answer.body as unknown as ChangesBody;
        for (const entry of data) {
          view.set(idOf(entry), entry);
          met.push(idOf(entry));
        }
        for (const { id } of deleted) {
          view.delete(id);
          met.push(`-${id}`);
        }
        if (data.length < pagination.limit) return met;
        await between?.();
      }
      throw new Error(`${path}: the walk has no end`);
    },
  };
}

/** The target of the answer's `Link`; the same cursor is in the body. */
export function nextOf({ headers, body }: Answer): string {
  const [, path] = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '') ?? [];
  if (path === undefined) throw new Error(`there is no link to the next page: ${headers.get('link')}`);
  const { next } = (body as { pagination: { next: string } }).pagination;
  expect(new URLSearchParams(path.split('?')[1]).get('cursor')).toBe(next);
  return path;
}

/** Everything that the list holds, by id, read by offset while nothing changes. */
export async function everythingOf(get: Get, path: string): Promise<Map<string, Entry>> {
  const all = new Map<string, Entry>();
  for (let offset = 0; ; offset += 200) {
    const { body } = await get(`GET ${path}?limit=200&offset=${offset}`);
    const { data, pagination } = body as { data: Entry[]; pagination: { total: number } };
    for (const entry of data) all.set(idOf(entry), entry);
    if (offset + 200 >= pagination.total) return all;
  }
}

/** That a reader has met all that there is, as it is now; and, with `include=deleted`, that it has nothing else any more. */
export async function expectComplete(get: Get, path: string, { view }: Reader): Promise<void> {
  const [list = path, query] = path.split('?');
  const all = await everythingOf(get, list);
  const wrong = [...all].filter(([id, entry]) => JSON.stringify(view.get(id)) !== JSON.stringify(entry));
  expect(
    wrong.slice(0, 3).map(([id, entry]) => ({ seen: view.get(id), real: entry })),
    `${wrong.length} of ${all.size} entries of ${list}`,
  ).toEqual([]);
  if (query?.includes('include=deleted')) expect([...view.keys()].filter((id) => !all.has(id))).toEqual([]);
}
