import type { ComandaClient } from '@comanda/client';

type Entry = Awaited<ReturnType<ComandaClient['audit']['list']['query']>>['data'][number];

/** The fields that differ, each with what it was and what it became. */
export function Changes({ changes, rows, table }: Pick<Entry, 'changes' | 'rows' | 'table'>) {
  const all = rows ?? (changes === undefined ? [] : [changes]);
  return (
    <ul className="changes">
      {all.flatMap(({ before, after }, at) =>
        Object.keys({ ...before, ...after }).map((field) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was changed stays in its place.
          <li key={`${table} ${at} ${field}`}>
            {field}: {shown(before?.[field])} → {shown(after?.[field])}
          </li>
        )),
      )}
    </ul>
  );
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
