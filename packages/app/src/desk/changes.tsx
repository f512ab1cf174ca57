import type { ComandaClient } from '@comanda/client';
import { useCategories } from './categories-known.ts';

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
            {field}: <Value {...{ field }} of={before} /> → <Value {...{ field }} of={after} />
          </li>
        )),
      )}
    </ul>
  );
}

function Value({ field, of }: { field: string; of: Readonly<Record<string, unknown>> | null | undefined }) {
  const value = of?.[field];
  return field === 'category_id' && typeof value === 'string' ? <CategoryName id={value} /> : shown(value);
}

/** The name of a category as it is called today; its id where it was deleted. */
function CategoryName({ id }: { id: string }) {
  return useCategories().find(({ value }) => value === id)?.label ?? id;
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
