import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { Deed } from './deed.tsx';
import type { Overview } from './overview.ts';
import { deskTexts } from './texts.ts';

/** Records that money of the order was given back. */
export function Refund({ order: { number }, payment, possible }: Overview) {
  const { comanda, session } = useComanda();
  const texts = useTexts(deskTexts);
  const format = useFormat();
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [person, setPerson] = useState(session.name);
  const { id, refunded = 0 } = payment;
  return (
    <Deed
      label={texts.refund}
      question={{
        title: texts.sureToRefund(number, format.money(possible.refund)),
        text: (
          <>
            <p>{texts.refundMeans}</p>
            <label>
              {texts.refundAmount}
              <input inputMode="decimal" value={amount} onChange={({ target }) => setAmount(target.value)} />
            </label>
            <label>
              {texts.refundReason}
              <input value={reason} onChange={({ target }) => setReason(target.value)} />
            </label>
            <label>
              {texts.refundPerson}
              <input value={person} onChange={({ target }) => setPerson(target.value)} />
            </label>
          </>
        ),
      }}
      act={() =>
        comanda.payments.refund.mutate({
          id,
          amount: Number(amount.replace(',', '.')),
          reason: reason.trim(),
          person: person.trim(),
          // Without an answer the same refund is asked for again: it is recorded once.
          idempotencyKey: `desk refund ${id} after ${refunded}`,
        })
      }
      onDone={() => {
        setAmount('');
        setReason('');
      }}
    />
  );
}
