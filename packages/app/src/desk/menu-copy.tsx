import type { ComandaClient } from '@comanda/client';
import { useState } from 'react';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { categoryTexts } from './category-texts.ts';
import { Listing } from './listing.tsx';
import { menuCopyTexts } from './menu-copy-texts.ts';
import { Difference, useShownFirst } from './shown-first.tsx';
import { deskTexts } from './texts.ts';

type Copied = Awaited<ReturnType<ComandaClient['menus']['copy']['mutate']>>;

/** Copies the menu of the restaurant of a pasted key: the difference is shown first, and written only where it is still the same. */
export function MenuCopy() {
  const { comanda } = useComanda();
  const own = useTexts(menuCopyTexts);
  const categories = useTexts(categoryTexts);
  const notify = useNotify();
  const [key, setKey] = useState('');
  const from_key = key.trim();
  const copy = useShownFirst({
    ask: () => comanda.menus.copy.mutate({ from_key, dry_run: true }),
    write: (seen) => comanda.menus.copy.mutate({ from_key, seen }),
    written({ created, updated }: Copied) {
      setKey('');
      notify(own.title, own.written(created, updated));
    },
  });
  return (
    <article className="order" aria-label={own.title}>
      <h2>{own.title}</h2>
      <p className="quiet">{own.means}</p>
      <form aria-label={own.title} onSubmit={copy.submit}>
        <label>
          {own.key}
          <input
            required
            value={key}
            autoComplete="off"
            spellCheck={false}
            aria-describedby="key-means"
            onChange={({ target }) => {
              setKey(target.value);
              copy.hide();
            }}
          />
        </label>
        <button type="submit" disabled={copy.isPending}>
          {own.preview}
        </button>
        <p id="key-means" className="quiet">
          {own.keyMeans}
        </p>
        <p className="fault" role="alert">
          {copy.fault}
        </p>
      </form>
      {copy.shown !== undefined && (
        <Difference
          of={copy}
          label={own.difference}
          writes={copy.shown.changes.length > 0 ? own.write : undefined}
        >
          <CopiedRows {...copy.shown} />
        </Difference>
      )}
      <p>
        <Link to="/app/desk/categories">{categories.allCategories}</Link>
      </p>
    </article>
  );
}

/** The rows that the copy makes and changes. */
function CopiedRows({ from, to, created, updated, unchanged, kept, changes }: Copied) {
  const texts = useTexts(deskTexts);
  const own = useTexts(menuCopyTexts);
  const left = created + updated - changes.length;
  const rows = changes.map((change, at) => ({ ...change, at }));
  return (
    <>
      <p>
        {own.summary(from.name, to.name)} {own.counts(created, updated, unchanged, kept)}
      </p>
      {rows.length === 0 ? (
        <p>{own.nothing}</p>
      ) : (
        <Listing
          caption={own.difference}
          rows={{ data: rows, total: rows.length, error: null, isReading: false }}
          keyOf={({ at }) => String(at)}
          columns={[
            { title: texts.name, cell: ({ names }) => names.join(' › ') },
            { title: own.type, cell: ({ type }) => own.types[type] },
            { title: own.action, cell: ({ action }) => own.actions[action] },
            { title: own.foundBy, cell: ({ matched_by }) => matched_by && own.found[matched_by] },
            { title: texts.changes, cell: ({ changes: fields }) => <Fields fields={fields} /> },
          ]}
        />
      )}
      {left > 0 && <p>{own.more(left)}</p>}
    </>
  );
}

const Fields = ({ fields }: { fields: Copied['changes'][number]['changes'] }) => (
  <ul className="changes">
    {fields.map(({ field, before, after }) => (
      <li key={field}>
        {field}: {before !== undefined && `${shownValue(before)} → `}
        {shownValue(after)}
      </li>
    ))}
  </ul>
);

function shownValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
