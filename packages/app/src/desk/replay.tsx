import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { Deed } from './deed.tsx';
import { endpointTexts } from './endpoint-texts.ts';
import { deskTexts } from './texts.ts';

/** How far back events are sent again, in hours. */
const spans = [1, 6, 24, 168] as const;

/** Sends again what an endpoint did not get. */
export function Replay({ id, url }: { id: string; url: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const notify = useNotify();
  const own = useTexts(endpointTexts);
  const [hours, setHours] = useState<number>(24);
  const [isAll, setIsAll] = useState(false);
  return (
    <Deed
      label={texts.replay}
      of={url}
      question={{
        title: texts.replayWhat,
        text: (
          <>
            <label>
              {texts.replayMeans}
              <select value={hours} onChange={({ target }) => setHours(Number(target.value))}>
                {spans.map((span) => (
                  <option key={span} value={span}>
                    {texts.hours(span)}
                  </option>
                ))}
              </select>
            </label>
            <label className="check">
              <input type="checkbox" checked={isAll} onChange={({ target }) => setIsAll(target.checked)} />
              {own.replayAll}
            </label>
          </>
        ),
      }}
      act={() =>
        comanda.webhookEndpoints.replay.mutate({
          id,
          since: new Date(Date.now() - hours * 3_600_000).toISOString(),
          ...(isAll && { only: 'all' as const }),
        })
      }
      onDone={({ replayed }) => notify(texts.replay, texts.replayed(replayed))}
    />
  );
}
