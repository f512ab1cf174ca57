import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { useLowStock } from './sales.ts';
import { dayTexts } from './texts.ts';

/** Products at their stock alarm, or below. */
export function LowStock() {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const say = useRefusal();
  const { data, error } = useLowStock();
  return (
    <section className="low">
      <h2>{texts.low}</h2>
      {data === undefined && <Unread {...{ error, say }} />}
      {data?.length === 0 && <p>{texts.allStocked}</p>}
      {data !== undefined && data.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.product}</th>
              <th scope="col">{texts.left}</th>
              <th scope="col">{texts.alarm}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ product_id, name, stock }) => (
              <tr key={product_id}>
                <th scope="row">{name}</th>
                <td>{format.quantity(stock.quantity)}</td>
                <td>{format.quantity(stock.min_stock_alarm)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
