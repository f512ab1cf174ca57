import { useState } from 'react';
import { goTo, usePath } from '../frame/address.tsx';
import { useTexts } from '../frame/language.tsx';
import { OrderView } from './order.tsx';
import { OrderList } from './order-list.tsx';
import { deskTexts } from './texts.ts';

const base = '/app/desk/orders';

/** The list of orders, and one that is found by its number or its id in another system. */
export function Orders() {
  const texts = useTexts(deskTexts);
  const wanted = wantedIn(usePath());
  const [shown, setShown] = useState(wanted);
  const [text, setText] = useState(wanted);
  // A link or the button of the browser went to another order.
  if (shown !== wanted) {
    setShown(wanted);
    setText(wanted);
  }
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
      {wanted !== '' ? <OrderView key={wanted} wanted={wanted} /> : <OrderList />}
    </>
  );
}

function wantedIn(path: string): string {
  const text = path.slice(base.length + 1);
  try {
    return decodeURIComponent(text);
  } catch {
    // A person typed a percent sign into the address.
    return text;
  }
}
