import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { ExactTime } from '../frame/time.tsx';
import type { Overview } from './overview.ts';
import { deskTexts } from './texts.ts';

type Entry = Overview['timeline'][number];

/** The history of the order, oldest first. */
export function OrderHistory({ timeline }: Pick<Overview, 'timeline'>) {
  const say = useSentence();
  return (
    <ol className="history">
      {timeline.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what has happened stays in its place.
        <li key={index} className={entry.kind}>
          <ExactTime at={entry.at} /> <span>{say(entry)}</span>
        </li>
      ))}
    </ol>
  );
}

function editOf(
  {
    fields = [],
    added = [],
    changed = [],
    removed = [],
    total,
  }: Extract<Entry, { kind: 'edited' }>['changes'],
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
  const format = useFormat();
  const byOf = ({ by }: Extract<Entry, { by: unknown }>) => texts.by(by.name ?? by.type);
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
      case 'delivery': {
        const came = entry.response_code ?? entry.error ?? '';
        return `${entry.event_type}: ${texts.statuses[entry.status]} (${entry.attempt}) ${came}`;
      }
    }
  };
}
