import { useState } from 'react';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { Bars } from './bars.tsx';
import { LowStock } from './low-stock.tsx';
import { type Cut, cuts, type Report, useCollected, useReports } from './sales.ts';
import { dayTexts } from './texts.ts';

const titles = { hour: 'byHour', channel: 'byChannel', payment_method: 'byMethod' } as const satisfies Record<
  Cut,
  keyof typeof dayTexts.en
>;

/** A day of the location: what was sold, by hour, channel and payment method, and what runs out. */
export function Day() {
  const texts = useTexts(dayTexts);
  const frame = useTexts(frameTexts);
  const format = useFormat();
  const say = useRefusal();
  const [chosen, choose] = useState<string>();
  const day = chosen ?? format.today();
  const reports = useReports(day);
  const [first] = reports;
  const failed = reports.find(({ error }) => error !== null);
  return (
    <div className="day">
      <header>
        <h1>{texts.of(format.day(day))}</h1>
        <label>
          {texts.date}{' '}
          <input
            type="date"
            value={day}
            max={format.today()}
            onChange={({ target }) => choose(target.value || undefined)}
          />
        </label>
      </header>
      {failed && (
        <p role="alert" className="fault">
          {say(failed.error)}
        </p>
      )}
      {first?.data === undefined ? (
        !failed && <p>{frame.loading}</p>
      ) : (
        <Totals report={first.data} isToday={day === format.today()} />
      )}
      <div className="plots">
        {cuts.map((cut, index) => {
          const report = reports[index]?.data;
          return report && report.total_orders > 0 && <Plot key={cut} cut={cut} report={report} />;
        })}
        <LowStock />
      </div>
    </div>
  );
}

function Totals({ report, isToday }: { report: Report; isToday: boolean }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const collected = useCollected();
  if (report.total_orders === 0) return <p>{texts.noSales}</p>;
  const figures = [
    [texts.orders, format.quantity(report.total_orders)],
    [texts.sales, format.money(report.total_amount)],
    ...(isToday && collected !== undefined ? [[texts.collected, format.money(collected)]] : []),
    [texts.average, format.money(report.average_ticket)],
  ];
  return (
    <dl className="totals">
      {figures.map(([name, figure]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{figure}</dd>
        </div>
      ))}
    </dl>
  );
}

function Plot({ cut, report }: { cut: Cut; report: Report }) {
  const texts = useTexts(dayTexts);
  const rows =
    cut === 'hour' ? [...report.rows].sort((one, other) => one.key.localeCompare(other.key)) : report.rows;
  const labelOf = (key: string, name: string) =>
    cut === 'hour' ? `${key}:00` : name || (cut === 'channel' ? texts.noChannel : key);
  const bars = rows.map(({ key, name, orders, amount }) => ({
    key,
    label: labelOf(key, name),
    orders,
    amount,
  }));
  return <Bars title={texts[titles[cut]]} label={texts[titles[cut]]} bars={bars} />;
}
