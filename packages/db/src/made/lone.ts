import { type Captured, countedOf, showsInCatalog, sumOf } from './captured.ts';
import { historySql, loneHistorySql } from './history.ts';
import { indented, members, named, quoted, same } from './text.ts';

// A statement of its own that updates one row, as a request that changes a price does, is captured by plain conditions.
// The form for any number of rows costs it half as much again: its expressions are set up for each statement
// (docs/design/changes-and-events.md, "Capture of one row").

// A changed key is a row that went and one that came.
const hasLoneForm = (of: Captured): boolean =>
  of.operation === 'update' &&
  historySql(of) !== '' &&
  of.columns.some(({ history, name }) => history && !of.key.includes(name));

/** The variables that `loneSql` needs. */
export const loneDeclarations = (of: Captured): readonly string[] =>
  hasLoneForm(of)
    ? [
        `former ${of.table.name}%ROWTYPE;`,
        `current ${of.table.name}%ROWTYPE;`,
        'changed int;',
        'entry jsonb;',
      ]
    : [];

/**
 * Captures and counts an update of one row, and returns; empty where the form for many is the only one. It does what
 * that form does with one row. A consequence of another statement takes that form, as its location may be gone.
 */
export function loneSql(of: Captured): string {
  if (!hasLoneForm(of)) return '';
  const { published, columns, key, table } = of;
  const bits = columns.map(
    ({ name, bit }) =>
      `CASE WHEN former.${named(name)} IS DISTINCT FROM current.${named(name)} THEN ${bit} ELSE 0 END`,
  );
  const elsewhere = sumOf(columns, ({ shownElsewhere }) => shownElsewhere);
  const parts = [
    `changed := ${bits.join('\n  + ')};`,
    elsewhere > 0 &&
      when(
        elsewhere,
        `PERFORM touched_by_${table.name}(ARRAY[current.location_id], ARRAY[current.${published.id}]);`,
      ),
    loneHistorySql(of),
    when(
      sumOf(columns, (column) => column.published),
      capture(of),
    ),
    ...counts(of),
  ];
  return `IF pg_trigger_depth() = 1 AND (SELECT count(*) FROM (SELECT FROM new_rows LIMIT 2) n) = 1 THEN
  SELECT * INTO former FROM old_rows;
  SELECT * INTO current FROM new_rows;
  IF ${same('current', 'former', key)} THEN
${indented(4, parts.filter(Boolean).join('\n'))}
    RETURN NULL;
  END IF;
END IF;`;
}

const when = (bits: number, statement: string): string =>
  `IF changed & ${bits} <> 0 THEN\n${indented(2, statement)}\nEND IF;`;

function capture({ published, columns }: Captured): string {
  const names = columns
    .filter((column) => column.published)
    .map(({ name, bit }) => `CASE WHEN changed & ${bit} <> 0 THEN ${quoted(name)} END`);
  const recorded = columns.filter((each) => each.recorded === 'before and after').map(({ name }) => name);
  const sides = ['former', 'current'].map((row) =>
    recorded.length === 0 ? 'NULL' : `ARRAY[jsonb_build_object(${members(row, recorded)})]`,
  );
  const inCatalog = sumOf(columns, ({ catalog }) => catalog);
  return `INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
VALUES (current.location_id, ${quoted(published.as)}, 'update', array_remove(ARRAY[${names.join(', ')}]::text[], NULL),
  ${inCatalog > 0 ? `changed & ${inCatalog} <> 0` : 'false'}, ARRAY[current.${published.id}], ${sides.join(', ')});`;
}

/** Notes for the catalog and for what the row counts as. Each folds at random, as often as there are notes. */
function counts(of: Captured): string[] {
  const { published, columns } = of;
  const fold = (notes: number) =>
    `IF random() < ${(0.01 * notes).toFixed(2)} THEN\n  PERFORM fold_tallies(current.location_id);\nEND IF;`;
  const parts: string[] = [];
  if (showsInCatalog(of))
    parts.push(
      when(
        sumOf(columns, ({ catalog }) => catalog),
        `INSERT INTO internal.tally_notes (location_id, starts_at, name, n) VALUES (current.location_id, '-infinity', 'catalog', 1);
${fold(1)}`,
      ),
    );
  if (published.counted !== undefined) {
    const lost = countedOf(published.counted, 'former');
    const gained = countedOf(published.counted, 'current');
    const name = (by: string) => `${quoted(`${published.as} `)} || (${by})::text`;
    parts.push(`IF ROW(${gained.by}, ${gained.at}) IS DISTINCT FROM ROW(${lost.by}, ${lost.at}) THEN
  INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
  SELECT current.location_id, v.at, v.name, v.n FROM (VALUES (${gained.at}, ${name(gained.by)}, 1), (${lost.at}, ${name(lost.by)}, -1)) v (at, name, n)
  WHERE v.name IS NOT NULL;
${indented(2, fold(2))}
END IF;`);
  }
  return parts;
}
