import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { type StockEntry, useStock } from '../frame/stock.ts';
import { usePressGuard } from './press-guard.ts';
import { MarkSoldOut, SellAgain } from './sold-out-buttons.tsx';
import { boardTexts } from './texts.ts';

/** How many products a search shows. */
const found = 20;

const needed = ['products:read', 'stock:read', 'stock:sync'] as const;

/** Whether orders of it are refused. */
const isSoldOut = ({ stock }: Pick<StockEntry, 'stock'>): boolean => stock.enabled && stock.quantity === 0;

const soldOut = (entries: readonly StockEntry[]): StockEntry[] =>
  entries.filter(isSoldOut).sort((one, other) => one.name.localeCompare(other.name));

/** Opens what is sold out; nothing for a key that may not mark it. */
export function SoldOutButton() {
  const texts = useTexts(boardTexts);
  const { may } = useGranted();
  // The lists slide after a press: a second one at the same place would meet the next product.
  const guard = usePressGuard();
  if (may === undefined || !needed.every((permission) => may(permission))) return null;
  return (
    <Dialog.Root>
      <Dialog.Trigger className="sold-out-button">{texts.soldOut}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog sold-out" onClickCapture={guard.onClickCapture}>
          <Dialog.Title>{texts.soldOut}</Dialog.Title>
          <Dialog.Description>{texts.soldOutMeans}</Dialog.Description>
          <SoldOutNow />
          <Search />
          <footer>
            <Dialog.Close>{texts.done}</Dialog.Close>
          </footer>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function SoldOutNow() {
  const texts = useTexts(boardTexts);
  const say = useRefusal();
  const { data, error } = useStock(soldOut);
  if (data === undefined) return error !== undefined && <p role="alert">{say(error)}</p>;
  if (data.length === 0) return <p className="quiet">{texts.noneSoldOut}</p>;
  return (
    <ul className="sold-out-now">
      {data.map(({ product_id, name }) => (
        <li key={product_id}>
          <SellAgain id={product_id} name={name} />
        </li>
      ))}
    </ul>
  );
}

function Search() {
  const { comanda } = useComanda();
  const texts = useTexts(boardTexts);
  const format = useFormat();
  const say = useRefusal();
  const [text, setText] = useState('');
  const search = text.trim();
  const { data, error } = useQuery({
    queryKey: ['products', search],
    queryFn: ({ signal }) =>
      comanda.products.list.query({ limit: found, ...(search !== '' && { search }) }, { signal }),
  });
  return (
    <>
      <label>
        {texts.findProduct}
        <input type="search" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      {error !== null && <p role="alert">{say(error)}</p>}
      <ul className="sold-out-found">
        {data?.data
          .filter((product) => !isSoldOut(product))
          .map(({ id, name, stock }) => (
            <li key={id}>
              <span>
                {name}{' '}
                {stock.enabled && (
                  <span className="quiet">{texts.left(format.quantity(stock.quantity))}</span>
                )}
              </span>
              <MarkSoldOut id={id} name={name} />
            </li>
          ))}
      </ul>
    </>
  );
}
