import { useId } from 'react';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { dayTexts } from './texts.ts';

/** A bar: its label, its value, and its value on the day to compare with. */
export interface Bar {
  key: string;
  label: string;
  orders: number;
  amount: number;
  before: number;
}

interface Props {
  title: string;
  bars: readonly Bar[];
  /** The days in words, that of the bars and the other. */
  days: readonly [string, string];
}

/** Sales as bars on an axis, above those of another day; the same as a table for screen readers, and for copying. */
export function Bars({ title, bars, days }: Props) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const id = useId();
  const most = endOfAxis(Math.max(...bars.flatMap(({ amount, before }) => [amount, before]), 0.01));
  const share = (amount: number) => `${(Math.max(amount, 0) / most) * 100}%`;
  return (
    <figure className="bars" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <ul aria-hidden="true">
        <li className="axis">
          {[0, most / 2, most].map((tick) => (
            <span key={tick}>{format.rough(tick)}</span>
          ))}
        </li>
        {bars.map(({ key, label, orders, amount, before }) => (
          <li key={key}>
            <span className="name">{label}</span>
            <span>{`${format.money(amount)} · ${format.quantity(orders)}`}</span>
            <svg height="24" aria-hidden="true">
              <rect width={share(amount)} y="2" height="14" rx="3" />
              <rect className="before" width={share(before)} y="18" height="4" rx="2" />
            </svg>
          </li>
        ))}
      </ul>
      <p className="legend" aria-hidden="true">
        <span>{days[0]}</span> <span className="before">{days[1]}</span>
      </p>
      <details>
        <summary>{texts.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{title}</th>
              <th scope="col">{texts.orders}</th>
              <th scope="col">{texts.sales}</th>
              <th scope="col">{days[1]}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ key, label, orders, amount, before }) => (
              <tr key={key}>
                <th scope="row">{label}</th>
                <td>{format.quantity(orders)}</td>
                <td>{format.money(amount)}</td>
                <td>{format.money(before)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** The next 1, 2 or 5 with zeros that is not below. */
function endOfAxis(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5].find((step) => step * power >= most) ?? 10) * power;
}
