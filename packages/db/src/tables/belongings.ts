import { tableNamed, tables } from './index.ts';
import { sqlName } from './sql-name.ts';
import type { Table } from './table.ts';

/** A table whose rows belong to locations, and how they come and go with one. */
export interface LocationTable {
  /** With its schema, where that is not `public`. */
  table: string;
  /** Its file in an export. */
  file: string;
  /** The columns that an export reads it by, along an index that begins with the location. */
  order: string;
  /** Its rows go when those of this table go, by foreign keys; all else is deleted by itself. */
  goesWith?: string;
  /** It names keys, not the location. */
  ofKeys?: true;
  /** Columns that count up over all locations, and their sequences: an import moves those on. */
  counted: readonly { column: string; sequence: string }[];
  /** Triggers write it while other rows come: what they wrote during an import is replaced by what was exported. */
  derived?: true;
  /** Work that waits, which the copy of an active location has none of. */
  pending?: true;
  /** Its changed rows are updated in the copy of a location. */
  updatedInCopy?: true;
  /** The columns that identify a row within its location. */
  key: readonly string[];
  columns: readonly string[];
}

/** Every table of what a location has, parents before their children: imported in this order, deleted in the other. */
export const belongings: readonly LocationTable[] = tables
  .filter(({ belongs }) => belongs !== null)
  .map(locationTable);

/** The location's own row, first of an export. */
export const ownRow: LocationTable = locationTable(tableNamed('locations'));

function locationTable(table: Table): LocationTable {
  const { belongs, name, key, columns } = table;
  const names = key.length === 0 ? ['location_id'] : key;
  return {
    table: sqlName(table),
    file: `${name}.jsonl`,
    order: belongs?.readBy ?? names.map((column) => `"${column}"`).join(', '),
    ...(belongs?.partOf !== undefined && { goesWith: belongs.partOf }),
    ...(belongs?.to === 'key' && { ofKeys: true as const }),
    counted: Object.entries(columns).flatMap(([column, { sequence }]) =>
      sequence === undefined ? [] : [{ column, sequence }],
    ),
    ...(belongs?.derived && { derived: true as const }),
    ...(belongs?.pending && { pending: true as const }),
    ...(belongs?.updatedInCopy && { updatedInCopy: true as const }),
    key: names,
    columns: Object.keys(columns),
  };
}
