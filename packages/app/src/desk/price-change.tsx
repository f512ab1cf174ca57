import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { categoryTexts } from './category-texts.ts';
import { numberIn } from './edit-input.tsx';
import { deskTexts } from './texts.ts';

type Kind = 'percent' | 'amount';

/** Changes all prices of a category: the difference is shown first, and written only where it is still the same. */
export function PriceChange({ id }: { id: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(categoryTexts);
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>('percent');
  const [by, setBy] = useState('');
  const wanted = { id, [kind]: numberIn(by) };
  const ask = () => comanda.categories.changePrices.mutate({ ...wanted, dry_run: true });
  const [shown, setShown] = useState<Awaited<ReturnType<typeof ask>>>();
  const preview = useAct({ mutationFn: ask, onSuccess: setShown });
  const write = useAct({
    mutationFn: (seen: string) => comanda.categories.changePrices.mutate({ ...wanted, seen }),
    onSuccess({ products }) {
      setBy('');
      notify(own.changePrices, own.written(products.filter(({ before, after }) => before !== after).length));
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
  const again =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      setShown(undefined);
    };
  const setKindAgain = again(setKind);
  const setByAgain = again(setBy);
  return (
    <>
      <h3>{own.changePrices}</h3>
      <form aria-label={own.changePrices} onSubmit={submit}>
        <label>
          {own.how}
          <select value={kind} onChange={({ target }) => setKindAgain(target.value as Kind)}>
            <option value="percent">{own.percent}</option>
            <option value="amount">{own.amount}</option>
          </select>
        </label>
        <label>
          {own.by}
          <input
            required
            inputMode="decimal"
            pattern="[+\-−]?\d{1,10}([.,]\d{1,2})?"
            value={by}
            autoComplete="off"
            onChange={({ target }) => setByAgain(target.value)}
          />
        </label>
        <button type="submit" disabled={preview.isPending || write.isPending}>
          {own.preview}
        </button>
        <p className="fault" role="alert">
          {error && say(error)}
        </p>
      </form>
      {shown !== undefined && (
        <section ref={place} tabIndex={-1} aria-label={own.difference}>
          <Difference products={shown.products} />
          <div className="deeds">
            <button type="button" onClick={() => setShown(undefined)}>
              {texts.keep}
            </button>
            {shown.products.some(({ before, after }) => before !== after) && (
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
    </>
  );
}

interface Changed {
  products: readonly { id: string; name: string; before: number; after: number }[];
}

function Difference({ products }: Changed) {
  const texts = useTexts(deskTexts);
  const own = useTexts(categoryTexts);
  const format = useFormat();
  if (products.length === 0) return <p>{texts.none}</p>;
  return (
    <table>
      <caption>{own.difference}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.name}</th>
          <th scope="col">{own.before}</th>
          <th scope="col">{own.after}</th>
        </tr>
      </thead>
      <tbody>
        {products.map(({ id, name, before, after }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td data-title={own.before}>{format.money(before)}</td>
            <td data-title={own.after}>
              <strong>{format.money(after)}</strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
