import { useId } from 'react';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { dayTexts } from './texts.ts';

/** A bar: its label, and its value. */
export interface Bar {
  key: string;
  label: string;
  orders: number;
  amount: number;
}

const rowHeight = 32;

/** Takings as bars with their figures next to them; the same as a table for screen readers, and for copying. */
export function Bars({ title, label, bars }: { title: string; label: string; bars: readonly Bar[] }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const id = useId();
  const most = Math.max(...bars.map(({ amount }) => amount), 0.01);
  return (
    <figure className="bars" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <svg height={bars.length * rowHeight} aria-hidden="true">
        {bars.map(({ key, label: name, orders, amount }, index) => (
          <g key={key}>
            <text x="0" y={index * rowHeight + 20}>
              {name}
            </text>
            <rect x="28%" y={index * rowHeight + 6} width={`${(amount / most) * 30}%`} height={20} rx={3} />
            <text x="100%" y={index * rowHeight + 20} textAnchor="end">
              {`${format.money(amount)} · ${format.quantity(orders)}`}
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary>{texts.asTable}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{label}</th>
              <th scope="col">{texts.orders}</th>
              <th scope="col">{texts.sales}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ key, label: name, orders, amount }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                <td>{format.quantity(orders)}</td>
                <td>{format.money(amount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
