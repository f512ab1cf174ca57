import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { boardTexts } from './texts.ts';

interface Named {
  id: string;
  name: string;
}

/** Sets the stock of a product. Its event updates the list; search results are read again. */
function useSetStock({ id, name }: Named) {
  const { comanda } = useComanda();
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  return useAct<unknown, { enabled: boolean; quantity: number; expected?: number }>({
    mutationFn: async (stock) => {
      const { errors } = await comanda.stock.sync.mutate({ items: [{ product_id: id, ...stock }] });
      if (errors[0] !== undefined) notify(name, errors[0].message);
    },
    onError: (error) => notify(name, say(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['products'] }),
  });
}

/** Makes a product one that cannot be ordered: its stock is counted, and none is left. */
export function MarkSoldOut({ id, name }: Named) {
  const texts = useTexts(boardTexts);
  const { act, isPending } = useSetStock({ id, name });
  return (
    <button
      type="button"
      disabled={isPending}
      aria-label={texts.markSoldOut(name)}
      onClick={() => act({ enabled: true, quantity: 0 })}
    >
      {texts.mark}
    </button>
  );
}

/** Sells a product again: as many as are typed, or without counting. */
export function SellAgain({ id, name }: Named) {
  const texts = useTexts(boardTexts);
  const [text, setText] = useState('');
  const { act, isPending } = useSetStock({ id, name });
  const typed = text.trim().replace(',', '.');
  const isNumber = /^\d{1,7}(\.\d{1,3})?$/.test(typed) && Number(typed) > 0;
  return (
    <>
      <span>{name}</span>
      <input
        inputMode="decimal"
        aria-label={texts.howMany(name)}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <button
        type="button"
        disabled={isPending || (typed !== '' && !isNumber)}
        aria-label={texts.sellAgain(name)}
        // Another person may have counted them first, and some of these may be sold.
        onClick={() => act({ enabled: typed !== '', quantity: Number(typed), expected: 0 })}
      >
        {texts.again}
      </button>
    </>
  );
}
