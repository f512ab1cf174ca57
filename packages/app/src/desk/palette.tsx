import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { goTo } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { screens } from '../frame/screens.ts';
import { frameTexts } from '../frame/texts.ts';
import { parts } from './parts.ts';
import { deskTexts } from './texts.ts';

/** Something that was found: where it is, and how it is called. */
interface Found {
  path: string;
  name: string;
  hint: string;
}

const most = 6;
const waitMs = 150;

/** Finds a page by its name, an order by its number, and a product by its name or SKU. Arrows choose, Enter opens. */
export function Palette({ onClose }: { onClose(): void }) {
  const frame = useTexts(frameTexts);
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = text.trim();
  const pages = usePages(wanted);
  const rows = useRows(useSettled(wanted));
  const found = [...pages, ...rows.found];
  const chosen = found[Math.min(at, found.length - 1)];
  const optionId = chosen && `${id}-${chosen.path}`;
  useEffect(() => {
    if (optionId !== undefined) document.getElementById(optionId)?.scrollIntoView({ block: 'nearest' });
  }, [optionId]);
  const open = ({ path }: Found) => {
    onClose();
    goTo(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined)
      setAt((Math.min(at, found.length - 1) + step + found.length) % (found.length || 1));
    else if (event.key === 'Enter' && chosen !== undefined && !event.nativeEvent.isComposing) open(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label={frame.findAnything}>
          <input
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls={id}
            aria-activedescendant={optionId}
            aria-label={frame.findAnything}
            placeholder={frame.findWhat}
            value={text}
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            onChange={({ target }) => {
              setText(target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div id={id} role="listbox" aria-label={frame.findAnything} hidden={found.length === 0}>
            {found.map((each) => (
              // biome-ignore lint/a11y: the keys of an option are those of the field.
              <div
                key={each.path}
                id={`${id}-${each.path}`}
                role="option"
                aria-selected={each === chosen}
                onClick={() => open(each)}
              >
                <span>{each.name}</span>
                <span>{each.hint}</span>
              </div>
            ))}
          </div>
          {found.length === 0 && (
            <p className="quiet" role="status">
              {rows.isReading ? frame.loading : frame.foundNothing(wanted)}
            </p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The pages that the person may open, by a part of their name. */
function usePages(wanted: string): Found[] {
  const frame = useTexts(frameTexts);
  const texts = useTexts(deskTexts);
  const { session } = useComanda();
  const { may } = useGranted();
  const all = [
    ...parts
      .filter(({ needs }) => may?.(needs) === true)
      .map(({ path, title }) => ({ path, name: texts.parts[title], hint: frame.desk })),
    ...session.screens
      .filter((name) => name !== 'desk')
      .map((name) => ({ path: screens[name].path, name: frame[screens[name].title], hint: frame.screen })),
  ];
  return all.filter(({ name }) => plain(name).includes(plain(wanted)));
}

/** The order of that number, and the first products that the search finds. */
function useRows(wanted: string): { found: Found[]; isReading: boolean } {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const format = useFormat();
  const { may } = useGranted();
  const number = /^#?(\d{1,9})$/.exec(wanted)?.[1];
  const order = useQuery({
    queryKey: ['palette', 'order', number],
    queryFn: ({ signal }) => comanda.orders.overview.query({ number: Number(number) }, { signal }),
    enabled: number !== undefined && may?.('orders:read') === true,
  });
  const products = useQuery({
    queryKey: ['palette', 'products', wanted],
    queryFn: ({ signal }) => comanda.products.list.query({ search: wanted, limit: most }, { signal }),
    enabled: wanted !== '' && may?.('products:read') === true,
  });
  const found: Found[] = [];
  if (order.data !== undefined) {
    const { id, number: its, status, total } = order.data.order;
    const hint = `${texts.statuses[status]} · ${format.money(total)}`;
    found.push({ path: `/app/desk/orders/${id}`, name: texts.order(its), hint });
  }
  for (const { id, name, sku, price } of products.data?.data ?? [])
    found.push({ path: `/app/desk/products/${id}`, name, hint: `${sku} · ${format.money(price)}` });
  return { found, isReading: order.isFetching || products.isFetching };
}

/** The text as it is once nothing was typed for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), waitMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Without accents and capitals. */
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase();
