import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { ExactTime } from '../frame/time.tsx';
import { deliveryTexts } from './delivery-texts.ts';
import type { Overview } from './overview.ts';
import { type Resent, useResent } from './resent.ts';
import { deskTexts } from './texts.ts';

type TimelineEntry = Overview['timeline'][number];
type Entry = TimelineEntry | ({ kind: 'resent'; at: string } & Resent);

/** The history of the order, oldest first, with what was sent again and by whom. */
export function OrderHistory({ timeline, deliveries }: Pick<Overview, 'timeline' | 'deliveries'>) {
  const say = useSentence();
  const resent = useResent(deliveries);
  return (
    <ol className="history">
      {withResent(timeline, resent).map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what has happened stays in its place.
        <li key={index} className={entry.kind}>
          <ExactTime at={entry.at} /> <span>{say(entry)}</span>
        </li>
      ))}
    </ol>
  );
}

/** The timeline with each delivery that was asked for, before whatever came later. */
function withResent(timeline: readonly TimelineEntry[], resent: readonly Resent[]): Entry[] {
  const asked: Entry[] = resent.map((each) => ({ kind: 'resent', at: each.delivery.created_at, ...each }));
  // The sort is stable. What was asked for precedes the attempt of the same moment.
  return [...asked, ...timeline].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function editOf(
  {
    fields = [],
    added = [],
    changed = [],
    removed = [],
    total,
  }: Extract<TimelineEntry, { kind: 'edited' }>['changes'],
  { quantity: shown, money }: ReturnType<typeof useFormat>,
): string {
  return [
    ...added.map(({ name, quantity }) => `+ ${shown(quantity)} ${name}`),
    ...changed.map(
      ({ name, quantity, quantity_before = quantity }) =>
        `${shown(quantity_before)} → ${shown(quantity)} ${name}`,
    ),
    ...removed.map(({ name, quantity }) => `− ${shown(quantity)} ${name}`),
    ...fields,
    ...(total === undefined ? [] : [`${money(total.before)} → ${money(total.after)}`]),
  ].join(', ');
}

function useSentence(): (entry: Entry) => string {
  const texts = useTexts(deskTexts);
  const own = useTexts(deliveryTexts);
  const format = useFormat();
  const byOf = ({ by }: Extract<TimelineEntry, { by: { type: unknown } }>) => texts.by(by.name ?? by.type);
  return (entry) => {
    switch (entry.kind) {
      case 'created':
        return `${texts.made} ${byOf(entry)}`;
      case 'moved': {
        const reason = entry.reason === undefined ? '' : ` “${entry.reason}”`;
        return `${texts.statuses[entry.from]} → ${texts.statuses[entry.to]} ${byOf(entry)}${reason}`;
      }
      case 'edited':
        return `${texts.edited} ${byOf(entry)}: ${editOf(entry.changes, format)}`;
      case 'booked':
        return texts.booked(entry, format.money(entry.amount), byOf(entry));
      case 'event':
        return entry.event_type;
      case 'resent': {
        const { event_type, endpoint_url } = entry.delivery;
        return own.resent(event_type, endpoint_url, entry.by === undefined ? '' : ` ${texts.by(entry.by)}`);
      }
      case 'delivery': {
        const came = entry.response_code ?? entry.error ?? '';
        return `${entry.event_type}: ${texts.statuses[entry.status]} (${entry.attempt}) ${came}`;
      }
    }
  };
}
