import { createClient, type OrderUpdateStatus } from '@comanda/client';
import { liveOf } from '@comanda/client/live';
import { useLive } from '@comanda/client/react';
import { createRoot } from 'react-dom/client';

// The server in front of the service knows who is signed in, and adds the key: none is in the browser.
const comanda = createClient({ url: `${location.origin}/comanda`, key: 'kept-by-the-server' });
// Of this location and person: their tabs share a stream, and their moves outlast a reload.
liveOf(comanda, { scope: document.body.id });
const next = { pending: 'ready', ready: 'closed', closed: 'closed', canceled: 'canceled' } as const;

function Kitchen() {
  const { data, state, error, pending, unsent, mutate, dismiss } = useLive(comanda.orders.list, {
    status: ['pending', 'ready'],
    include: ['items', 'snapshot'],
  });
  const move = (to: OrderUpdateStatus) => mutate(comanda.orders.updateStatus, to).catch(alert);
  if (data === undefined) return <p role="status">{error === undefined ? state : String(error)}</p>;
  return (
    <main>
      <p role="status">{state}</p>
      {unsent.map(({ key, input: { id } }) => (
        <button key={key} type="button" onClick={() => dismiss(key)}>
          Not sent: {data.find((order) => order.id === id)?.number}
        </button>
      ))}
      {data.map(({ id, number, status, items = [] }) => (
        <article key={id} id={`order-${number}`} className={status} aria-busy={pending.has(id)}>
          <h2>{number}</h2>
          <p>{items.map(({ name, quantity }) => `${quantity} ${name}`).join(', ')}</p>
          <button type="button" onClick={() => move({ id, status: next[status] })}>
            {next[status]}
          </button>
        </article>
      ))}
    </main>
  );
}

createRoot(document.body.appendChild(document.createElement('div'))).render(<Kitchen />);
