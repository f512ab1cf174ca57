import type { Published, Table } from '../tables/table.ts';
import { auditOf, byHand } from './audit.ts';
import { type Captured, comparedColumns, countedOf, showsInCatalog, sumOf } from './captured.ts';
import type { Catalog } from './catalog.ts';
import { findProgram, historySql, historyValues, programDeclaration } from './history.ts';
import { loneDeclarations, loneSql } from './lone.ts';
import { capturedOperations } from './operations.ts';
import { indented, listed, members, named, quoted, same, statementTrigger, triggerFunction } from './text.ts';

// Actual changes are captured by triggers once a statement, in the transaction that made them. The relay publishes it
// later. No NOTIFY here: it serializes commits; the relay is woken from outside, and polls.

/** The functions and triggers that capture and count the changes of a table. */
export function captureSql(table: Table, catalog: Catalog): string[] {
  const { published } = table;
  if (published === undefined) return [];
  return [
    ...(published.lastState ? lastState(table, published) : []),
    ...(published.keepsDeletions ? keptDeletions(table, published) : []),
    ...capturedOperations(table).flatMap((operation) => {
      const of: Captured = {
        table,
        published,
        operation,
        key: catalog.keys[table.name] ?? [],
        columns: comparedColumns(table),
      };
      const name = `capture_${operation}_${table.name}`;
      const notes = notesOf(of);
      const body = [
        looksFirst(of, catalog),
        loneSql(of),
        notes.length === 0 ? captureAlone(of) : captureAndCount(of, notes),
      ];
      const declared = [
        notes.length > 0 && 'noted bigint;',
        historySql(of) !== '' && programDeclaration,
        ...loneDeclarations(of),
      ];
      return [
        triggerFunction(name, declared.filter(Boolean).join('\n'), body.filter(Boolean).join('\n')),
        statementTrigger(`capture_${operation}`, operation, table.name, `${name}()`),
      ];
    }),
  ];
}

/**
 * The JSON that a resource deleted before its events are published shows: read before the row and its children are
 * deleted.
 */
function lastState({ name, columns }: Table, { as }: Published): string[] {
  const inCatalog = Object.values(columns).some(({ catalog }) => catalog);
  return [
    `CREATE FUNCTION capture_last_state_${name}() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, internal, pg_temp AS $$
BEGIN
  INSERT INTO internal.captured_changes (location_id, resource, operation, resource_ids, in_catalog, before)
  VALUES (OLD.location_id, ${quoted(as)}, 'delete', ARRAY[OLD.id], ${inCatalog},
    ARRAY[(SELECT j.doc::jsonb FROM ${name}_json(OLD.location_id, ARRAY[OLD.id]) j)]);
  RETURN OLD;
END $$;`,
    `CREATE TRIGGER capture_last_state BEFORE DELETE ON ${name}
  FOR EACH ROW EXECUTE FUNCTION capture_last_state_${name}();`,
  ];
}

/** Records deletions for readers of changes; a change of an id, which takes a deed, is the deletion of the id before. */
function keptDeletions({ name }: Table, { as }: Published): string[] {
  return [
    statementTrigger('keep_deletions', 'delete', name, `keep_deletions(${quoted(as)})`),
    `CREATE TRIGGER keep_former_id AFTER UPDATE OF id, location_id ON ${name}
  FOR EACH ROW WHEN (OLD.id <> NEW.id OR OLD.location_id <> NEW.location_id) EXECUTE FUNCTION keep_former_id(${quoted(as)});`,
  ];
}

/**
 * Changes by a session that is not the service's are audited; those that `place_order_batch`, `move_order_batch` and
 * `move_payment_batch` capture themselves are skipped.
 */
function looksFirst(of: Captured, catalog: Catalog): string {
  const { table, published, operation } = of;
  const audit = auditOf(table, operation, catalog);
  const keepsHistory = historySql(of) !== '';
  if (published.capturedByPlaceOrder)
    return `IF by_service() THEN
  IF current_setting('comanda.told', true) = 'true' THEN
    RETURN NULL;
  END IF;
${keepsHistory ? `  ${findProgram}\n` : ''}${audit === undefined ? '' : `ELSIF pg_trigger_depth() = 1 THEN\n${indented(2, audit)}\n`}END IF;`;
  return audit === undefined ? '' : byHand(audit, keepsHistory ? findProgram : undefined);
}

const captureAlone = (of: Captured): string => `${comparison(of)}\n${capture(of)};`;

function captureAndCount(of: Captured, notes: readonly string[]): string {
  const { published, operation } = of;
  const captured = published.on.includes(operation) ? `, captured AS (\n${indented(2, capture(of))}\n)` : '';
  return `${comparison(of)}${captured}
INSERT INTO internal.tally_notes (location_id, starts_at, name, n)
${notes.join('\nUNION ALL\n')};
GET DIAGNOSTICS noted = ROW_COUNT;
-- The more a statement notes the surer it folds, so that no bulk leaves thousands of notes that every reader adds up.
IF random() < 0.01 * noted THEN
  PERFORM fold_tallies(r.location_id) FROM (SELECT DISTINCT location_id FROM ${operation === 'delete' ? 'old_rows' : 'new_rows'}) r;
END IF;`;
}

/** The rows that a statement really changed, each once, and what else is touched by them. */
function comparison(of: Captured): string {
  const { table, operation, columns } = of;
  const elsewhere = sumOf(columns, ({ shownElsewhere }) => shownElsewhere);
  // A materialized part runs once, for any number of joins.
  const touched =
    operation === 'update' && elsewhere > 0
      ? `, touched AS MATERIALIZED (
  SELECT touched_by_${table.name}(array_agg(c.location_id), array_agg(c.id)) FROM changed c
  WHERE c.operation <> 'update' OR c.changed & ${elsewhere} <> 0
)`
      : '';
  const history = historySql(of);
  const kept = history === '' ? '' : `, history AS (\n${indented(2, history)}\n)`;
  return `WITH changed AS MATERIALIZED (\n${indented(2, changedRows(of))}\n)${touched}${kept}`;
}

function changedRows(of: Captured): string {
  const { published, operation, columns, key } = of;
  const { id, counted } = published;
  const history = historyValues(of);
  const [lost, gained] = [countedAs('lost', 'o', counted), countedAs('gained', 'n', counted)];
  if (operation === 'insert')
    return `SELECT n.location_id, n.${id} AS id${history}${gained.alone}\nFROM new_rows n`;
  if (operation === 'delete') {
    const owner = columns.filter(({ recorded }) => recorded === 'at deletion').map(({ name }) => name);
    const before = owner.length > 0 ? `, jsonb_build_object(${members('o', owner)}) AS before` : '';
    return `SELECT o.location_id, o.${id} AS id${before}${history}${lost.alone}\nFROM old_rows o`;
  }
  const names = columns.map(({ name }) => name);
  const recorded = columns.filter((each) => each.recorded === 'before and after').map(({ name }) => name);
  const recordedOf = (alias: string) =>
    recorded.length === 0 ? 'NULL::jsonb' : `jsonb_build_object(${members(alias, recorded)})`;
  const differs = columns.map(
    ({ name, bit }) => `CASE WHEN o.${named(name)} IS DISTINCT FROM n.${named(name)} THEN ${bit} ELSE 0 END`,
  );
  const countDiffers = counted ? `\n  OR ${lost.row} IS DISTINCT FROM ${gained.row}` : '';
  // In a full join, which is hashed or merged: never a loop within a loop, however few rows there were when it was planned.
  return `SELECT coalesce(n.location_id, o.location_id) AS location_id, coalesce(n.${id}, o.${id}) AS id,
  CASE WHEN o.location_id IS NULL THEN 'insert' WHEN n.location_id IS NULL THEN 'delete' ELSE 'update' END AS operation,
  ${differs.join('\n    + ')} AS changed,
  ${recordedOf('o')} AS before, ${recordedOf('n')} AS after${history}${lost.joined}${gained.joined}
FROM old_rows o FULL JOIN new_rows n ON ${same('n', 'o', key)}
WHERE ROW(${listed('o', names)})
    IS DISTINCT FROM ROW(${listed('n', names)})${countDiffers}
  OR o.location_id IS NULL OR n.location_id IS NULL`;
}

/** The counts of a row, before or after: where there is no other row, and in a join, where it may be missing itself. */
function countedAs(what: 'lost' | 'gained', alias: 'o' | 'n', counted: Published['counted']) {
  if (counted === undefined) return { alone: '', joined: '', row: '' };
  const { by, at } = countedOf(counted, alias);
  const other = what === 'lost' ? 'gained' : 'lost';
  return {
    alone: `,\n  (${by})::text AS ${what}, ${at} AS ${what}_at, NULL::text AS ${other}, NULL::timestamptz AS ${other}_at`,
    joined: `,\n  CASE WHEN ${alias}.location_id IS NOT NULL THEN (${by})::text END AS ${what}, ${at} AS ${what}_at`,
    row: `ROW(${by}, ${at})`,
  };
}

/**
 * The captured changes. A row whose key was changed is one that went and one that came. Resources with equal
 * changes share a row of captured_changes, 500 resources at most.
 */
function capture(of: Captured): string {
  const { published, operation, columns } = of;
  if (operation !== 'update') {
    const before = operation === 'delete' && columns.some(({ recorded }) => recorded === 'at deletion');
    return `INSERT INTO internal.captured_changes (location_id, resource, operation, in_catalog, resource_ids, before)
SELECT c.location_id, ${quoted(published.as)}, ${quoted(operation)}, ${showsInCatalog(of)}, array_agg(c.id), ${before ? 'array_agg(c.before)' : 'NULL'}
FROM (SELECT c.*, (row_number() OVER () - 1) / 500 AS share FROM changed c) c
GROUP BY c.location_id, c.share`;
  }
  const shown = columns.filter((column) => column.published);
  const names = shown.map(({ name, bit }) => `CASE WHEN c.changed & ${bit} <> 0 THEN ${quoted(name)} END`);
  const recorded = columns.some((column) => column.recorded === 'before and after');
  const touched = columns.some(({ shownElsewhere }) => shownElsewhere) ? ' CROSS JOIN touched' : '';
  return `INSERT INTO internal.captured_changes (location_id, resource, operation, changed, in_catalog, resource_ids, before, after)
SELECT c.location_id, ${quoted(published.as)}, c.operation,
  array_remove(ARRAY[${names.join(', ')}]::text[], NULL),
  ${catalogChanged(of)}, array_agg(c.id), ${recorded ? 'array_agg(c.before), array_agg(c.after)' : 'NULL, NULL'}
FROM (
  SELECT c.location_id, c.operation, c.changed, c.id, c.before, c.after, (row_number() OVER () - 1) / 500 AS share
  FROM changed c${touched} WHERE c.operation <> 'update' OR c.changed & ${sumOf(columns, (column) => column.published)} <> 0
) c
GROUP BY c.location_id, c.operation, c.changed, c.share`;
}

const catalogChanged = (of: Captured): string => {
  const shown = sumOf(of.columns, ({ catalog }) => catalog);
  if (of.operation !== 'update' || shown === 0) return String(shown > 0);
  return `c.changed & ${shown} <> 0`;
};

/** The counts of the changed rows: once for the catalog of a location, and once by what each row counts as. */
function notesOf(of: Captured): string[] {
  const { published, operation } = of;
  // Rows deleted with their location are not counted any more. Looked up by key, for any estimate that the
  // planner has of the locations.
  const located = (alias: string) =>
    operation === 'insert'
      ? ''
      : `(SELECT l.id FROM locations l WHERE l.id = ${alias}.location_id) IS NOT NULL`;
  const notes: string[] = [];
  if (showsInCatalog(of)) {
    const where = operation === 'update' ? ` WHERE ${catalogChanged(of)}` : '';
    const having = located('c') === '' ? '' : ` HAVING ${located('c')}`;
    notes.push(
      `SELECT c.location_id, '-infinity'::timestamptz, 'catalog', 1 FROM changed c${where}\nGROUP BY 1${having}`,
    );
  }
  if (published.counted !== undefined) {
    const also = located('t') === '' ? '' : ` AND ${located('t')}`;
    notes.push(`SELECT t.location_id, t.at, ${quoted(`${published.as} `)} || t.name, sum(t.n) FROM (
  SELECT c.location_id, c.gained_at AS at, c.gained AS name, 1 AS n FROM changed c
    WHERE c.gained IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
  UNION ALL
  SELECT c.location_id, c.lost_at, c.lost, -1 FROM changed c
    WHERE c.lost IS NOT NULL AND ROW(c.gained, c.gained_at) IS DISTINCT FROM ROW(c.lost, c.lost_at)
) t GROUP BY 1, 2, 3 HAVING sum(t.n) <> 0${also}`);
  }
  return notes;
}
