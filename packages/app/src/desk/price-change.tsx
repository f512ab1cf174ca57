import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { categoryTexts } from './category-texts.ts';
import { numberIn } from './number-in.ts';
import { Difference, useShownFirst } from './shown-first.tsx';
import { deskTexts } from './texts.ts';

type Kind = 'percent' | 'amount';

/** Changes all prices of a category: the difference is shown first, and written only where it is still the same. */
export function PriceChange({ id }: { id: string }) {
  const { comanda } = useComanda();
  const own = useTexts(categoryTexts);
  const notify = useNotify();
  const [kind, setKind] = useState<Kind>('percent');
  const [by, setBy] = useState('');
  const wanted = { id, [kind]: numberIn(by) };
  const change = useShownFirst({
    ask: () => comanda.categories.changePrices.mutate({ ...wanted, dry_run: true }),
    write: (seen) => comanda.categories.changePrices.mutate({ ...wanted, seen }),
    written({ products }) {
      setBy('');
      notify(own.changePrices, own.written(products.filter(differs).length));
    },
  });
  const again =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      change.hide();
    };
  const setKindAgain = again(setKind);
  const setByAgain = again(setBy);
  return (
    <>
      <h3>{own.changePrices}</h3>
      <form aria-label={own.changePrices} onSubmit={change.submit}>
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
        <button type="submit" disabled={change.isPending}>
          {own.preview}
        </button>
        <p className="fault" role="alert">
          {change.fault}
        </p>
      </form>
      {change.shown !== undefined && (
        <Difference
          of={change}
          label={own.difference}
          writes={change.shown.products.some(differs) ? own.write : undefined}
        >
          <ChangedPrices {...change.shown} />
        </Difference>
      )}
    </>
  );
}

interface Changed {
  products: readonly { id: string; name: string; before: number; after: number }[];
}

const differs = ({ before, after }: Changed['products'][number]) => before !== after;

function ChangedPrices({ products }: Changed) {
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
