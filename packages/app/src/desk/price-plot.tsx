import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { Folded } from './folded.tsx';
import type { PlannedPrice } from './planned-prices.tsx';
import { priceTexts } from './price-texts.ts';

type Entry = Awaited<ReturnType<ComandaClient['audit']['list']['query']>>['data'][number];

/** A price from a moment on. */
interface Step {
  at: number;
  price: number;
  isPlanned: boolean;
}

interface Props {
  id: string;
  price: number;
  planned: readonly PlannedPrice[];
}

const yearMs = 365 * 86_400_000;
const plotHeight = 96;
const top = 8;

/** The prices of a product in the last year, or as far as its history is known, and the planned ones: as steps, and as a table. */
export function PricePlot({ id, price, planned }: Props) {
  const { comanda } = useComanda();
  const own = useTexts(priceTexts);
  const { money, dayOf, day, exact } = useFormat();
  const titled = useId();
  const { data } = useQuery({
    queryKey: ['audit', 'prices', id],
    async queryFn({ signal }) {
      const wanted = { about: id, table: 'products', limit: 200 };
      const { data: entries } = await comanda.audit.list.query(wanted, { signal });
      return { entries, now: Date.now() };
    },
  });
  if (data === undefined) return null;
  const past = pastPrices(id, data.entries, data.now, price);
  const coming = planned.map((each) => ({ at: Date.parse(each.at), price: each.price, isPlanned: true }));
  const [first] = past;
  if (first === undefined || past.length + coming.length < 2) return null;
  const dayAt = (at: number) => day(dayOf(new Date(at)));
  const last = coming.at(-1);
  return (
    <figure className="hours" aria-labelledby={titled}>
      <figcaption id={titled}>
        <strong>{own.history}</strong>: {own.sum(past.length - 1, money(first.price), money(price))}.
      </figcaption>
      <Steps past={past} coming={coming} now={data.now} />
      <p className="ends" aria-hidden="true">
        <span>
          {dayAt(first.at)}: {money(first.price)}
        </span>
        <span>
          {last === undefined ? `${own.now}: ${money(price)}` : `${dayAt(last.at)}: ${money(last.price)}`}
        </span>
      </p>
      <Folded summary={own.asTable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{own.when}</th>
              <th scope="col" className="end">
                {own.price}
              </th>
            </tr>
          </thead>
          <tbody>
            {[...past, ...coming].map(({ at, price: each, isPlanned }) => (
              <tr key={`${at} ${each}`}>
                <th scope="row">
                  {exact(new Date(at))} {isPlanned && `(${own.isPlanned})`}
                </th>
                <td className="end">{money(each)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Folded>
    </figure>
  );
}

function Steps({ past, coming, now }: { past: readonly Step[]; coming: readonly Step[]; now: number }) {
  const steps = [...past, ...coming];
  const [firstAt, lastAt] = [steps[0]?.at ?? now, coming.at(-1)?.at ?? now];
  // The first price and the last planned one are seen for a while, too.
  const margin = (lastAt - firstAt) / 20;
  const from = firstAt - margin;
  const until = coming.length === 0 ? now : lastAt + margin;
  const prices = steps.map(({ price }) => price);
  const [least, most] = [Math.min(...prices), Math.max(...prices)];
  const x = (at: number) => `${((at - from) / Math.max(until - from, 1)) * 100}%`;
  const y = (price: number) =>
    top + (most === least ? 0.5 : (most - price) / (most - least)) * (plotHeight - 2 * top);
  return (
    <svg className="prices" height={plotHeight} aria-hidden="true">
      {steps.map(({ at, price, isPlanned }, index) => {
        const next = steps[index + 1];
        const [begin, end] = [index === 0 ? from : at, next?.at ?? until];
        const level = { y1: y(price), y2: y(price) };
        // The present price holds until the first planned one.
        const known = isPlanned ? begin : Math.min(end, now);
        return (
          <g key={`${at} ${price}`}>
            {known > begin && <line x1={x(begin)} x2={x(known)} {...level} />}
            {end > known && <line className="planned" x1={x(known)} x2={x(end)} {...level} />}
            {next !== undefined && (
              <line
                className={next.isPlanned ? 'planned' : undefined}
                x1={x(end)}
                x2={x(end)}
                y1={y(price)}
                y2={y(next.price)}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

/** The prices by the entries of the history, newest first: the first is that of a year ago, else the oldest known. */
function pastPrices(id: string, entries: readonly Entry[], now: number, present: number): Step[] {
  const changes = entries.toReversed().flatMap(({ created_at, rows, changes: single }) => {
    const own = rows === undefined ? single : rows.find(({ key }) => Object.values(key).includes(id));
    const [before, after] = [own?.before?.price, own?.after?.price];
    return after === undefined ? [] : [{ at: Date.parse(created_at), before, after }];
  });
  const step = (at: number, price: unknown): Step => ({ at, price: Number(price), isPlanned: false });
  const begin = now - yearMs;
  const older = changes.findLast(({ at }) => at <= begin);
  const recent = changes.filter(({ at }) => at > begin);
  const steps = recent.map(({ at, after }) => step(at, after));
  const [first] = recent;
  if (older !== undefined) return [step(begin, older.after), ...steps];
  if (first === undefined) return [step(now, present)];
  return first.before === undefined || first.before === null
    ? steps
    : [step(first.at, first.before), ...steps];
}
