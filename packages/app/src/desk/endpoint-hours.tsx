import type { ComandaClient } from '@comanda/client';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { Folded } from './folded.tsx';

type Attempt = Awaited<ReturnType<ComandaClient['webhookEndpoints']['deliveries']['query']>>['data'][number];

const results = ['delivered', 'failed', 'dead'] as const;
const hourMs = 3_600_000;
const shownHours = 24;
/** The service has no counts, so the newest attempts are read: this many pages of 200 at most. */
const mostPages = 5;

/** The attempts of an hour, by their result. */
interface Hour {
  from: number;
  counts: Record<(typeof results)[number], number>;
}

/** The attempts to send to an endpoint in the last 24 hours, as bars by hour and result, with the same as a table. */
export function EndpointHours({ id }: { id: string }) {
  const { comanda } = useComanda();
  const own = useTexts(endpointTexts);
  const titled = useId();
  const { data } = useQuery({
    queryKey: ['attempts', id, 'by hour'],
    queryFn: ({ signal }) => attemptsOfDay(comanda, id, signal),
  });
  if (data === undefined || data.attempts.length === 0) return null;
  const hours = hoursOf(data.attempts, data.from);
  const sums = results.map((result) => hours.reduce((sum, { counts }) => sum + counts[result], 0));
  const [delivered = 0, failed = 0, dead = 0] = sums;
  return (
    <figure className="hours" aria-labelledby={titled}>
      <figcaption id={titled}>
        <strong>{own.hours}</strong>: {own.hoursSum(delivered, failed, dead)}.{' '}
        {data.isCut && own.onlyNewest(data.attempts.length)}
      </figcaption>
      <Bars hours={hours} />
      <ul className="legend" aria-hidden="true">
        {results.map((result) => (
          <li key={result} className={result}>
            {own.results[result]}
          </li>
        ))}
      </ul>
      <HoursTable hours={hours} />
    </figure>
  );
}

const plotHeight = 96;

function Bars({ hours }: { hours: readonly Hour[] }) {
  const own = useTexts(endpointTexts);
  const { time, quantity } = useFormat();
  const most = Math.max(...hours.map(({ counts }) => sumOf(counts)));
  const wide = 100 / shownHours;
  return (
    <svg height={plotHeight + 40} aria-hidden="true">
      <text x="0" y="12">
        {quantity(most)}
      </text>
      <line x1="0" x2="100%" y1="18" y2="18" />
      <line x1="0" x2="100%" y1={plotHeight + 18} y2={plotHeight + 18} />
      {hours.map(({ from, counts }, at) => {
        let top = plotHeight + 18;
        return (
          <g key={from}>
            <title>
              {`${time(new Date(from))}: ${own.hoursSum(counts.delivered, counts.failed, counts.dead)}`}
            </title>
            {results.map((result) => {
              const height = (counts[result] / most) * plotHeight;
              top -= height;
              return (
                <rect
                  key={result}
                  className={result}
                  x={`${(at + 0.1) * wide}%`}
                  width={`${0.8 * wide}%`}
                  y={top}
                  height={height}
                />
              );
            })}
            {at % 6 === 0 && (
              <text x={`${at * wide}%`} y={plotHeight + 36}>
                {time(new Date(from))}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function HoursTable({ hours }: { hours: readonly Hour[] }) {
  const own = useTexts(endpointTexts);
  const { time, quantity } = useFormat();
  return (
    <Folded summary={own.asTable}>
      <table>
        <thead>
          <tr>
            <th scope="col">{own.hour}</th>
            {results.map((result) => (
              <th key={result} scope="col" className="end">
                {own.results[result]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hours.map(({ from, counts }) => (
            <tr key={from}>
              <th scope="row">{time(new Date(from))}</th>
              {results.map((result) => (
                <td key={result} data-title={own.results[result]} className="end">
                  {quantity(counts[result])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Folded>
  );
}

const sumOf = (counts: Hour['counts']) => results.reduce((sum, result) => sum + counts[result], 0);

/** The newest attempts since the beginning of the first shown hour; `isCut` if there are more than are read. */
async function attemptsOfDay(comanda: ComandaClient, id: string, signal: AbortSignal) {
  const from = (Math.floor(Date.now() / hourMs) - shownHours + 1) * hourMs;
  const attempts: Attempt[] = [];
  let offset = 0;
  for (let page = 0; page < mostPages; page += 1) {
    const { data, pagination } = await comanda.webhookEndpoints.deliveries.query(
      { id, limit: 200, offset },
      { signal },
    );
    const ofDay = data.filter(({ attempted_at }) => Date.parse(attempted_at) >= from);
    attempts.push(...ofDay);
    offset += data.length;
    if (ofDay.length < data.length || data.length === 0 || offset >= pagination.total)
      return { from, attempts, isCut: false };
  }
  return { from, attempts, isCut: true };
}

function hoursOf(attempts: readonly Attempt[], from: number): Hour[] {
  const hours = Array.from({ length: shownHours }, (_, at) => ({
    from: from + at * hourMs,
    counts: { delivered: 0, failed: 0, dead: 0 },
  }));
  for (const { attempted_at, status } of attempts) {
    // An attempt may have been made after the clock was read.
    const at = Math.min(shownHours - 1, Math.floor((Date.parse(attempted_at) - from) / hourMs));
    const hour = hours[at];
    if (hour !== undefined) hour.counts[status] += 1;
  }
  return hours;
}
