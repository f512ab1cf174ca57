import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import type { Overview } from './overview.ts';
import { deskTexts } from './texts.ts';

/** Adds a payment to an order whose payment was rejected, by a method that is chosen. */
export function AnotherPayment({ order: { id, number }, payment }: Overview) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const [chosen, setChosen] = useState('');
  const { data: methods = [] } = useQuery({
    queryKey: ['enabled payment methods'],
    queryFn: async ({ signal }) => {
      const { data } = await comanda.paymentMethods.list.query({ limit: 200 }, { signal });
      return data.filter(({ enabled }) => enabled);
    },
  });
  const method = chosen || methods[0]?.id;
  if (method === undefined) return null;
  return (
    <Deed
      label={texts.anotherPayment}
      question={{
        title: texts.surePayment(number),
        text: (
          <label>
            {texts.paidBy}
            <select value={method} onChange={({ target }) => setChosen(target.value)}>
              {methods.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        ),
      }}
      act={() =>
        comanda.orders.addPayment.mutate({
          id,
          payment_method_id: method,
          // Without an answer the same payment is asked for again: it is added once.
          idempotencyKey: `desk payment ${method} after ${payment.id}`,
        })
      }
    />
  );
}
