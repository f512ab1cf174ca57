import { statement } from '@comanda/db';
import { type Cell, inCell } from './file.ts';

/** How a cell does. */
export interface CellState {
  name: string;
  origin: string;
  default: boolean;
  /** `ok`, or why it cannot be asked. */
  database: string;
  /** `ready`, or what `/readyz` says. */
  api: string;
  /** The number of locations in it, and of those that moved elsewhere; null where the database does not show it. */
  locations: number | null;
  left: number | null;
}

/** Asks the database and the API of a cell how they do. */
export async function lookAt(cell: Cell): Promise<CellState> {
  const { name, origin, isDefault } = cell;
  const [counted, api] = await Promise.all([countIn(cell), readinessOf(origin)]);
  return { name, origin, default: isDefault, api, ...counted };
}

type Counted = Pick<CellState, 'database' | 'locations' | 'left'>;

const countIn = (cell: Cell): Promise<Counted> =>
  inCell(cell, 'service', (database) => database.run(count, [])).then(
    ([found]) => ({ database: 'ok', locations: found?.locations ?? 0, left: found?.moved ?? 0 }),
    (error) => ({ database: reasonOf(error), locations: null, left: null }),
  );

const readinessOf = (origin: string): Promise<string> =>
  fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok, status }) => (ok ? 'ready' : `not ready (${status})`),
    (error) => reasonOf(error instanceof Error ? (error.cause ?? error) : error),
  );

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)) || 'unknown';

const count = statement<{ locations: number; moved: number }>(
  'count_placed_locations',
  `select (select count(*)::int from locations l
       where not exists (select from internal.moved_locations m where m.code = l.code)) as locations,
     (select count(*)::int from internal.moved_locations) as moved`,
);
