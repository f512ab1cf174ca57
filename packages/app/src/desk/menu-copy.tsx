import type { ComandaClient } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { Link } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { categoryTexts } from './category-texts.ts';
import { Listing } from './listing.tsx';
import { menuCopyTexts } from './menu-copy-texts.ts';
import { deskTexts } from './texts.ts';

type Copied = Awaited<ReturnType<ComandaClient['menus']['copy']['mutate']>>;

/** Copies the menu of the restaurant of a pasted key: the difference is shown first, and written only where it is still the same. */
export function MenuCopy() {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(menuCopyTexts);
  const categories = useTexts(categoryTexts);
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const [shown, setShown] = useState<Copied>();
  const from_key = key.trim();
  const preview = useAct({
    mutationFn: () => comanda.menus.copy.mutate({ from_key, dry_run: true }),
    onSuccess: setShown,
  });
  const write = useAct({
    mutationFn: (seen: string) => comanda.menus.copy.mutate({ from_key, seen }),
    onSuccess({ created, updated }) {
      setKey('');
      notify(own.title, own.written(created, updated));
    },
    onSettled() {
      setShown(undefined);
      return queries.invalidateQueries();
    },
  });
  const place = useRef<HTMLElement>(null);
  const isShown = shown !== undefined;
  // A keyboard user goes on where the difference is.
  useEffect(() => {
    if (isShown) place.current?.focus();
  }, [isShown]);
  const error = preview.error ?? write.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    preview.act();
  };
  return (
    <article className="order" aria-label={own.title}>
      <h2>{own.title}</h2>
      <p className="quiet">{own.means}</p>
      <form aria-label={own.title} onSubmit={submit}>
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
              setShown(undefined);
            }}
          />
        </label>
        <button type="submit" disabled={preview.isPending || write.isPending}>
          {own.preview}
        </button>
        <p id="key-means" className="quiet">
          {own.keyMeans}
        </p>
        <p className="fault" role="alert">
          {error && say(error)}
        </p>
      </form>
      {shown !== undefined && (
        <section ref={place} tabIndex={-1} aria-label={own.difference}>
          <Difference {...shown} />
          <div className="deeds">
            <button type="button" onClick={() => setShown(undefined)}>
              {texts.keep}
            </button>
            {shown.changes.length > 0 && (
              <button
                type="button"
                className="primary"
                disabled={write.isPending}
                onClick={() => write.act(shown.seen)}
              >
                {own.write}
              </button>
            )}
          </div>
        </section>
      )}
      <p>
        <Link to="/app/desk/categories">{categories.allCategories}</Link>
      </p>
    </article>
  );
}

/** The rows that the copy makes and changes. */
function Difference({ from, to, created, updated, unchanged, kept, changes }: Copied) {
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
