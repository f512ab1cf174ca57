import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { AnotherPayment } from './another-payment.tsx';
import { Deed } from './deed.tsx';
import type { Overview } from './overview.ts';
import { Refund } from './refund.tsx';
import { deskTexts } from './texts.ts';

/** The allowed actions on the order and its payment, without any that would be refused. */
export function OrderDeeds(overview: Overview) {
  const { order, payment, possible } = overview;
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const [reason, setReason] = useState('');
  const { id, number } = order;
  return (
    <div className="deeds">
      {possible.moves.map((status) =>
        status === 'canceled' ? (
          <Deed
            key={status}
            label={texts.moves.canceled}
            question={{
              title: texts.sureToCancel(number),
              text: (
                <label>
                  {texts.cancelMeans[payment.status === 'completed' ? 'paid' : 'unpaid']}
                  <input
                    value={reason}
                    placeholder={texts.reason}
                    onChange={({ target }) => setReason(target.value)}
                  />
                </label>
              ),
            }}
            act={() =>
              comanda.orders.cancel.mutate({ id, ...(reason.trim() !== '' && { reason: reason.trim() }) })
            }
          />
        ) : (
          status !== 'pending' && (
            <Deed
              key={status}
              label={texts.moves[status]}
              act={() => comanda.orders.updateStatus.mutate({ id, status })}
            />
          )
        ),
      )}
      {possible.another_payment && <AnotherPayment {...overview} />}
      {possible.refund > 0 && <Refund {...overview} />}
      {possible.payment_moves.map(
        (status) =>
          status !== 'pending' && (
            <Deed
              key={status}
              label={texts.paymentMoves[status]}
              question={{ title: texts.surePayment(number), text: texts.paymentMeans[status] }}
              act={() =>
                status === 'completed'
                  ? comanda.payments.complete.mutate({ id: payment.id })
                  : comanda.payments.reject.mutate({ id: payment.id })
              }
            />
          ),
      )}
    </div>
  );
}
