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

const rowHeight = 36;
const axisHeight = 24;
/** Where the bars begin, and how wide the longest one may be, in percent. */
const [left, width] = [28, 36];

/** Sales as bars on an axis, above those of another day; the same as a table for screen readers, and for copying. */
export function Bars({ title, bars, days }: Props) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const id = useId();
  const most = endOfAxis(Math.max(...bars.flatMap(({ amount, before }) => [amount, before]), 0.01));
  const height = axisHeight + bars.length * rowHeight;
  const share = (amount: number) => `${(Math.max(amount, 0) / most) * width}%`;
  return (
    <figure className="bars" aria-labelledby={id}>
      <figcaption id={id}>{title}</figcaption>
      <svg height={height} aria-hidden="true">
        {[0, most / 2, most].map((tick) => {
          const x = `${left + (tick / most) * width}%`;
          return (
            <g key={tick} className="axis">
              <text x={x} y={12} textAnchor="middle">
                {format.rough(tick)}
              </text>
              <line x1={x} x2={x} y1={axisHeight - 6} y2={height} />
            </g>
          );
        })}
        {bars.map(({ key, label, orders, amount, before }, index) => {
          const y = axisHeight + index * rowHeight;
          return (
            <g key={key}>
              <text x="0" y={y + 18}>
                {label}
              </text>
              <rect x={`${left}%`} y={y + 4} width={share(amount)} height={18} rx={3} />
              <rect className="before" x={`${left}%`} y={y + 24} width={share(before)} height={5} rx={2} />
              <text x="100%" y={y + 18} textAnchor="end">
                {`${format.money(amount)} · ${format.quantity(orders)}`}
              </text>
            </g>
          );
        })}
      </svg>
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
