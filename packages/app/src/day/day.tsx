import { useState } from 'react';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Skeleton } from '../frame/skeleton.tsx';
import { Bars } from './bars.tsx';
import { LowStock } from './low-stock.tsx';
import { type Cut, cuts, type Report, useReports } from './sales.ts';
import { dayTexts } from './texts.ts';
import { useFollowedTurns, useOpenTurn, useTurnsEnded } from './turn.ts';
import { TurnPanel } from './turn-panel.tsx';
import { TurnsEnded } from './turns-ended.tsx';

const titles = { hour: 'byHour', channel: 'byChannel', payment_method: 'byMethod' } as const satisfies Record<
  Cut,
  keyof typeof dayTexts.en
>;

/** A day of the location: what was sold and collected, the turn, sales by hour, channel and payment method, and what runs out. */
export function Day() {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const say = useRefusal();
  const [chosen, choose] = useState<string>();
  const day = chosen ?? format.today();
  const reports = useReports(day);
  useFollowedTurns();
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
      {first?.data === undefined ? !failed && <Skeleton /> : <Totals report={first.data} day={day} />}
      <div className="plots">
        {day === format.today() && <TurnPanel />}
        <TurnsEnded day={day} />
        {cuts.map((cut, index) => {
          const report = reports[index]?.data;
          return report && report.total_orders > 0 && <Plot key={cut} cut={cut} report={report} />;
        })}
        <LowStock />
      </div>
    </div>
  );
}

function Totals({ report, day }: { report: Report; day: string }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const collected = useCollected(day);
  const figures = [
    [texts.orders, format.quantity(report.total_orders)],
    [texts.sales, format.money(report.total_amount)],
    ...(collected === undefined ? [] : [[texts.collectedBy, format.money(collected)]]),
    [texts.average, format.money(report.average_ticket)],
  ];
  if (report.total_orders === 0 && !collected) return <p>{texts.noSales}</p>;
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

/**
 * The takings of the turns that ended on a day, and today of the open one; undefined where there is none, or it is
 * not known.
 */
function useCollected(day: string): number | undefined {
  const format = useFormat();
  const open = useOpenTurn().data;
  const ended = useTurnsEnded(day).data;
  if (open === undefined || ended === undefined) return undefined;
  const turns = [...ended, ...(open !== null && day === format.today() ? [open] : [])];
  if (turns.length === 0) return undefined;
  return turns.reduce((sum, { total_collected }) => sum + Math.round(total_collected * 100), 0) / 100;
}

function Plot({ cut, report }: { cut: Cut; report: Report }) {
  const texts = useTexts(dayTexts);
  const rows =
    cut === 'hour' ? [...report.rows].sort((one, other) => one.key.localeCompare(other.key)) : report.rows;
  const labelOf = (key: string, name: string) =>
    cut === 'hour' ? `${key}:00` : name || (cut === 'channel' ? texts.noChannel : key || texts.notPaid);
  const bars = rows.map(({ key, name, orders, amount }) => ({
    key,
    label: labelOf(key, name),
    orders,
    amount,
  }));
  return <Bars title={texts[titles[cut]]} label={texts[titles[cut]]} bars={bars} />;
}
