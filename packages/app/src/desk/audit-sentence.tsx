import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { auditTexts } from './audit-texts.ts';
import { useChangedFields, wordsOf } from './changed-fields.ts';
import { Folded } from './folded.tsx';
import { RowLink } from './row-link.tsx';
import { deskTexts } from './texts.ts';

/** An entry of the audit. */
export type Entry = Awaited<ReturnType<ComandaClient['audit']['list']['query']>>['data'][number];
type Row = NonNullable<Entry['rows']>[number];

interface Props {
  entry: Entry;
  /** The row whose history is shown. */
  about: string | undefined;
}

/** Who did what, as one sentence; an edit of many rows unfolds. */
export function Sentence({ entry, about }: Props) {
  const texts = useTexts(auditTexts);
  const { operation, table, rows = [], row_count: count = 1 } = entry;
  const row = count === 1 ? rows[0] : rows.find((each) => about !== undefined && idOf(each) === about);
  const many = table !== undefined && row === undefined;
  const sentence = <Said {...{ entry, row, many }} />;
  if (!many)
    return (
      <>
        {sentence}
        {count > 1 && <span className="quiet"> {texts.withOthers(count - 1)}</span>}
      </>
    );
  return rows.length === 0 || operation === 'truncate' ? (
    sentence
  ) : (
    <Folded summary={sentence}>
      <ChangedRows {...{ entry }} namesOf={entry.id} />
    </Folded>
  );
}

/** The sentence; the fields of one row are part of it, or below it where there are several. */
function Said({ entry, row, many }: { entry: Entry; row: Row | undefined; many: boolean }) {
  const texts = useTexts(auditTexts);
  const changed = useChangedFields();
  const { operation, table, resource_id, resource_name, row_count: count = 1, changes, undo_of } = entry;
  const about = table ?? operation.split('.', 1)[0] ?? '';
  const difference = row ?? changes;
  const fields = difference === undefined ? [] : changed(about, difference);
  const [thing, things] = texts.tables[about] ?? [wordsOf(about), wordsOf(about)];
  const id = (row && idOf(row)) ?? resource_id;
  const isGone = operation === 'delete' || operation.endsWith('.delete');
  const name = many ? (
    `${count} ${things}`
  ) : id === undefined ? null : (
    <RowLink of={about} {...{ id, isGone }} name={row?.name ?? resource_name} />
  );
  // `the price of Espresso`, where the price alone was changed.
  const common = many ? fieldOfAll(entry, changed) : fields.length === 1 ? fields[0]?.name : undefined;
  const only = operation === 'update' && table !== undefined ? common : undefined;
  const isWhole = only !== undefined && !many;
  const what = (
    <>
      {only !== undefined ? `${texts.of(only)} ` : !many && `${thing} `}
      {name}
    </>
  );
  const template =
    texts.sentences[`${table} ${operation}`] ??
    texts.sentences[operation] ??
    `{who}: ${wordsOf(operation)} {what}`;
  return (
    <>
      {filled(template, { who: <Who {...entry} />, name, what })}
      {undo_of !== undefined && ` ${texts.undoing}`}
      {isWhole ? ` ${fields[0]?.change}` : fields.length > 0 && ':'}
      {!isWhole && <ChangedList fields={fields} />}
    </>
  );
}

/** The only field that was changed in all rows of an edit. */
function fieldOfAll({ rows = [], table = '' }: Entry, changed: ReturnType<typeof useChangedFields>) {
  const names = new Set(rows.flatMap((row) => changed(table, row).map(({ name }) => name)));
  return names.size === 1 ? [...names][0] : undefined;
}

function ChangedList({ fields }: { fields: ReturnType<ReturnType<typeof useChangedFields>> }) {
  if (fields.length === 0) return null;
  return (
    <ul className="changes">
      {fields.map(({ name, change }) => (
        <li key={name}>
          {name} {change}
        </li>
      ))}
    </ul>
  );
}

/** The rows of an edit, each by name, as the entry `namesOf` knows them. */
export function ChangedRows({ entry, namesOf }: { entry: Omit<Entry, 'can_undo'>; namesOf: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(auditTexts);
  const changed = useChangedFields();
  const { data } = useQuery({
    queryKey: ['audit', 'rows', namesOf],
    queryFn: ({ signal }) => comanda.audit.list.query({ about: namesOf, limit: 1 }, { signal }),
  });
  const names = new Map(data?.data[0]?.rows?.map((row) => [idOf(row), row.name]));
  const { rows = [], table = '', row_count: count = rows.length } = entry;
  return (
    <ul className="changes">
      {rows.map((row) => (
        <li key={JSON.stringify(row.key)}>
          <RowLink of={table} id={idOf(row) ?? ''} name={names.get(idOf(row))} isGone={row.after === null} />{' '}
          {changed(table, row)
            .map(({ name, change }) => `${name} ${change}`)
            .join(', ')}
        </li>
      ))}
      {count > rows.length && <li className="quiet">{texts.more(count - rows.length)}</li>}
    </ul>
  );
}

/** The name of the person or key, whether it is known, and over which login it came. */
function Who({ actor, by, by_known, role, undo_of }: Entry) {
  const texts = useTexts(deskTexts);
  const own = useTexts(auditTexts);
  const notes = [
    by !== undefined && actor === 'database' && undo_of === undefined && own.byHand,
    by !== undefined && by_known === false && texts.stated,
    actor === 'database' && role !== by && role,
  ].filter(Boolean);
  return (
    <>
      <b className="who">{by ?? own.actors[actor]}</b>
      {notes.length > 0 && <small className="quiet"> ({notes.join(', ')})</small>}
    </>
  );
}

/** The id of the row as the names of entries know it. */
function idOf({ key }: Pick<Row, 'key'>): string | undefined {
  const id = key.id ?? key.order_id ?? key.product_id ?? key.menu_id;
  return typeof id === 'string' ? id : undefined;
}

/** A template with parts in place of their names. */
const filled = (template: string, parts: Readonly<Record<string, ReactNode>>): ReactNode =>
  template.split(/\{(\w+)\}/).map((text, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a template does not change.
    <Fragment key={at}>{at % 2 === 1 ? parts[text] : text}</Fragment>
  ));
