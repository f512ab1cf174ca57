import { useState } from 'react';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { Skeleton } from '../frame/skeleton.tsx';
import { type Bar, Bars } from './bars.tsx';
import { LowStock } from './low-stock.tsx';
import { type Cut, cuts, type Report, useFollowedSales, useReports } from './sales.ts';
import { dayTexts } from './texts.ts';
import { useFollowedTurns, useOpenTurn, useTurnsEnded } from './turn.ts';
import { TurnPanel } from './turn-panel.tsx';
import { TurnsEnded } from './turns-ended.tsx';

const titles = {
  hour: 'byHour',
  channel: 'byChannel',
  payment_method: 'byMethod',
  product: 'byProduct',
} as const satisfies Record<Cut, keyof typeof dayTexts.en>;

/** More bars than these say less. */
const mostBars = 10;

/**
 * A day of the location beside another one: what was sold and collected, the turn, sales by hour, channel, payment method and product,
 * and what runs out.
 */
export function Day() {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const say = useRefusal();
  const [chosen, choose] = useState<string>();
  const day = chosen ?? format.today();
  const [other, compare] = useState<string>();
  const before = other ?? weekBefore(day);
  const reports = useReports(day);
  const reportsBefore = useReports(before);
  useFollowedSales(day);
  useFollowedTurns();
  const [first] = reports;
  const failed = [...reports, ...reportsBefore].find(({ error }) => error !== null);
  return (
    <div className="day">
      <header>
        <h1>{texts.of(format.day(day))}</h1>
        <div className="days">
          <DayInput label={texts.date} value={day} onChange={choose} />
          <DayInput label={texts.comparedWith} value={before} onChange={compare} />
        </div>
      </header>
      {failed && (
        <p role="alert" className="fault">
          {say(failed.error)}
        </p>
      )}
      {first?.data === undefined ? (
        !failed && <Skeleton />
      ) : (
        <Totals report={first.data} before={reportsBefore[0]?.data} day={day} />
      )}
      <div className="plots">
        {day === format.today() && <TurnPanel />}
        <TurnsEnded day={day} />
        {cuts.map((cut, index) => {
          const report = reports[index]?.data;
          const shown = { cut, report, before: reportsBefore[index]?.data };
          return report && report.total_orders > 0 && <Plot key={cut} {...shown} report={report} />;
        })}
        <LowStock />
      </div>
    </div>
  );
}

interface DayInputProps {
  label: string;
  value: string;
  /** Undefined: it was cleared. */
  onChange(day: string | undefined): void;
}

function DayInput({ label, value, onChange }: DayInputProps) {
  const today = useFormat().today();
  return (
    <label>
      {label}{' '}
      <input
        type="date"
        value={value}
        max={today}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </label>
  );
}

const weekBefore = (day: string): string =>
  new Date(Date.parse(day) - 7 * 86_400_000).toISOString().slice(0, 10);

interface Reports {
  report: Report;
  /** That of the day to compare with; undefined until it is there. */
  before: Report | undefined;
}

function Totals({ report, before, day }: Reports & { day: string }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const collected = useCollected(day);
  const change = (of: 'total_orders' | 'total_amount' | 'average_ticket') =>
    before && before[of] > 0 ? report[of] / before[of] - 1 : undefined;
  const figures: [string, string | undefined, (number | undefined)?][] = [
    [texts.orders, format.quantity(report.total_orders), change('total_orders')],
    [texts.sales, format.money(report.total_amount), change('total_amount')],
    [texts.collectedBy, collected === undefined ? undefined : format.money(collected)],
    [texts.average, format.money(report.average_ticket), change('average_ticket')],
  ];
  if (report.total_orders === 0 && !collected) return <p>{texts.noSales}</p>;
  return (
    <dl className="totals">
      {figures.map(
        ([name, figure, grown]) =>
          figure && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{figure}</dd>
              {grown !== undefined && before && (
                <dd className="change">{texts.against(format.change(grown), format.day(before.from))}</dd>
              )}
            </div>
          ),
      )}
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

/** Every hour from the first to the last of these. */
function hoursOf(keys: readonly string[]): string[] {
  const hours = keys.map(Number);
  const first = Math.min(...hours);
  return Array.from({ length: Math.max(...hours) - first + 1 }, (_, index) =>
    String(first + index).padStart(2, '0'),
  );
}

function Plot({ cut, report, before }: Reports & { cut: Cut }) {
  const texts = useTexts(dayTexts);
  const format = useFormat();
  const labelOf = (key: string, name: string) =>
    cut === 'hour' ? `${key}:00` : name || (cut === 'channel' ? texts.noChannel : key || texts.notPaid);
  const earlier = before?.rows ?? [];
  const keys = [...new Set([...report.rows, ...earlier].map(({ key }) => key))];
  const shown = cut === 'hour' ? hoursOf(keys) : keys.slice(0, mostBars);
  const bars = shown.map((key): Bar => {
    const [now, then] = [report.rows, earlier].map((rows) => rows.find((row) => row.key === key));
    const label = labelOf(key, now?.name ?? then?.name ?? '');
    return { key, label, orders: now?.orders ?? 0, amount: now?.amount ?? 0, before: then?.amount ?? 0 };
  });
  const days = [report.from, before?.from ?? weekBefore(report.from)].map((day) => format.day(day));
  return <Bars title={texts[titles[cut]]} bars={bars} days={[days[0] ?? '', days[1] ?? '']} />;
}
