import { useState } from 'react';
import { goTo, usePath } from '../frame/address.tsx';
import { useTexts } from '../frame/language.tsx';
import { OrderView } from './order.tsx';
import { deskTexts } from './texts.ts';

const base = '/app/desk/orders';

/** Finds an order by its number or its id in another system, and shows it. */
export function Orders() {
  const texts = useTexts(deskTexts);
  const wanted = decodeURIComponent(usePath().slice(base.length + 1));
  const [text, setText] = useState(wanted);
  return (
    <>
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (text.trim() !== '') goTo(`${base}/${encodeURIComponent(text.trim())}`);
          }}
        >
          <label>
            {texts.numberOrId}
            <input value={text} onChange={({ target }) => setText(target.value)} autoComplete="off" />
          </label>
          <button type="submit" className="primary">
            {texts.find}
          </button>
        </form>
      </search>
      {wanted !== '' && <OrderView key={wanted} wanted={wanted} />}
    </>
  );
}
