import type { ComandaClient } from '@comanda/client';
import { goTo } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useShownOnce } from '../frame/once.ts';
import { type EditField, EditForm } from './edit-form.tsx';
import { severalIn } from './edit-input.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { eventTypes } from './event-types-made.ts';
import { calledIn } from './permissions-known.ts';

type Endpoint = Awaited<ReturnType<ComandaClient['webhookEndpoints']['get']['query']>>;
type EventName = Endpoint['events'][number];

const offered = Object.keys(eventTypes) as EventName[];
const groups = [...new Set(offered.map(groupOf))];

/** The events of a new endpoint, unless others are ticked. */
const usual: EventName[] = ['order.created', 'order.status_changed'];

/** The address and the events of an endpoint, which may be changed by a key that may. */
export function EndpointForm({ endpoint }: { endpoint: Endpoint & { etag: string | undefined } }) {
  const { comanda } = useComanda();
  const own = useTexts(endpointTexts);
  const fields = useFields(endpoint.events);
  const may = useGranted().may?.('webhooks:write') === true;
  const { id, etag } = endpoint;
  return (
    <EditForm<string>
      label={own.edit}
      isReadOnly={!may}
      fields={fields}
      known={textsOf(endpoint)}
      etag={etag}
      save={({ url, include, ...changed }, expected, seen) =>
        comanda.webhookEndpoints.update.mutate({
          id,
          expected,
          ...(url !== undefined && { url: url.trim() }),
          ...(include !== undefined && { include: includedIn(include) }),
          ...(Object.keys(changed).length > 0 && { events: eventsIn({ ...seen, ...changed }) }),
        })
      }
    />
  );
}

/** Makes an endpoint, shows its secret once, and goes to its page. */
export function NewEndpoint() {
  const { comanda } = useComanda();
  const own = useTexts(endpointTexts);
  const fields = useFields([]);
  const { show } = useShownOnce();
  return (
    <details className="more">
      <summary>{own.new}</summary>
      <EditForm<string>
        label={own.new}
        submit={own.make}
        isReadOnly={false}
        fields={fields}
        known={textsOf({ url: '', events: usual })}
        save={async ({ url = '', include = '', ...changed }, _, seen) => {
          const { id, secret } = await comanda.webhookEndpoints.create.mutate({
            url: url.trim(),
            events: eventsIn({ ...seen, ...changed }),
            ...(include !== '' && { include: includedIn(include) }),
          });
          show({ kind: 'newSecret', of: url.trim(), text: secret });
          goTo(`/app/desk/endpoints/${id}`);
        }}
      />
    </details>
  );
}

/** The fields: the events are one field for each resource. An event whose permission the key lacks is offered only if the endpoint has it. */
function useFields(present: readonly EventName[]): EditField<string>[] {
  const own = useTexts(endpointTexts);
  const { may } = useGranted();
  const shown = offered.filter(
    (type) => present.includes(type) || (type in eventTypes && may?.(eventTypes[type])),
  );
  const includes = (['snapshot', 'customer'] as const).filter(
    (name) => name === 'snapshot' || may?.('customers:read'),
  );
  const ofGroups = groups.flatMap((group) => {
    const options = shown
      .filter((type) => groupOf(type) === group)
      .map((value) => ({ value, label: `${own.types[value]} (${value})` }));
    return options.length === 0
      ? []
      : [{ name: group, label: calledIn(own.groups, group), kind: { options, several: true } as const }];
  });
  return [
    { name: 'url', label: own.url },
    ...ofGroups,
    {
      name: 'include',
      label: own.include,
      kind: { options: includes.map((value) => ({ value, label: own.includes[value] })), several: true },
    },
  ];
}

const textsOf = ({ url, events, include = [] }: Pick<Endpoint, 'url' | 'events' | 'include'>) => ({
  url,
  include: include.join(),
  ...Object.fromEntries(
    groups.map((group) => [group, events.filter((type) => groupOf(type) === group).join()]),
  ),
});

/** The events of all groups. */
const eventsIn = (texts: Readonly<Record<string, string | undefined>>): EventName[] =>
  offered.filter((type) => severalIn(texts[groupOf(type)] ?? '').includes(type));

const includedIn = (text: string) => severalIn(text) as NonNullable<Endpoint['include']>;

function groupOf(type: string): string {
  return type.split('.', 1)[0] ?? '';
}
