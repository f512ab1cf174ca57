import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { goTo } from '../frame/address.tsx';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useShownOnce } from '../frame/once.ts';
import { Deed } from './deed.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { Replay } from './replay.tsx';
import { deskTexts } from './texts.ts';

interface Props {
  id: string;
  url: string;
  status: 'active' | 'disabled';
}

/** What may be done with an endpoint as a whole, by a key that may. */
export function EndpointDeeds({ id, url, status }: Props) {
  const { comanda } = useComanda();
  const own = useTexts(endpointTexts);
  const notify = useNotify();
  const [eventId, setEventId] = useState<string>();
  return (
    <>
      <div className="deeds">
        {status === 'active' && (
          <>
            <Deed
              label={own.test}
              act={() => comanda.webhookEndpoints.test.mutate({ id })}
              onDone={({ event_id }) => setEventId(event_id)}
            />
            <Replay id={id} url={url} />
          </>
        )}
        <RotateSecret id={id} url={url} />
        <PauseDeed {...{ id, url, status }} />
        <Deed
          label={own.delete}
          of={url}
          question={{ title: own.sureToDelete(url), text: own.deleteMeans }}
          act={() => comanda.webhookEndpoints.delete.mutate({ id })}
          onDone={() => {
            notify(url, own.deleted);
            goTo('/app/desk/endpoints');
          }}
        />
      </div>
      {eventId !== undefined && <TestResult key={eventId} {...{ id, eventId }} />}
    </>
  );
}

/** Stops sending to an endpoint, or begins again. */
export function PauseDeed({ id, url, status }: Props) {
  const { comanda } = useComanda();
  const own = useTexts(endpointTexts);
  const isActive = status === 'active';
  return (
    <Deed
      key={status}
      label={isActive ? own.pause : own.enable}
      of={url}
      {...(isActive && { question: { title: own.sureToPause, text: own.pauseMeans } })}
      act={() => comanda.webhookEndpoints.update.mutate({ id, status: isActive ? 'disabled' : 'active' })}
    />
  );
}

/** Makes another signing secret, which is shown once. */
export function RotateSecret({ id, url }: Omit<Props, 'status'>) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(endpointTexts);
  const { show } = useShownOnce();
  const [isLeaked, setIsLeaked] = useState(false);
  return (
    <Deed
      label={texts.rotate}
      of={url}
      question={{
        title: texts.sureToRotate,
        text: (
          <label>
            {own.oldSecret}
            <select
              value={isLeaked ? 'ends' : 'signs'}
              onChange={({ target }) => setIsLeaked(target.value === 'ends')}
            >
              <option value="signs">{own.oldSigns}</option>
              <option value="ends">{own.oldEnds}</option>
            </select>
          </label>
        ),
      }}
      act={() =>
        comanda.webhookEndpoints.rotateSecret.mutate({ id, ...(isLeaked && { expire_previous: true }) })
      }
      onDone={({ secret }) => show({ kind: 'newSecret', of: url, text: secret })}
    />
  );
}

/** Follows a test event until its first attempt has ended, and says how. */
function TestResult({ id, eventId }: { id: string; eventId: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(endpointTexts);
  const queries = useQueryClient();
  const { data } = useQuery({
    queryKey: ['test event', id, eventId],
    queryFn: async ({ signal }) => {
      const { data: tests } = await comanda.webhookEndpoints.deliveries.query(
        { id, event_type: 'webhook.test', limit: 20 },
        { signal },
      );
      const attempt = tests.findLast(({ event_id }) => event_id === eventId);
      if (attempt !== undefined) void queries.invalidateQueries({ queryKey: ['attempts', id] });
      return attempt ?? null;
    },
    // No event reports attempts.
    refetchInterval: ({ state }) => (state.data ? false : 1_000),
  });
  return (
    <p role="status">
      {data
        ? own.testCame(
            texts.statuses[data.status],
            String(data.response_code ?? data.error ?? ''),
            data.duration_ms,
          )
        : own.testUnderWay}
    </p>
  );
}
