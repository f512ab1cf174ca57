import { Dialog } from '@base-ui/react/dialog';
import { useQueryClient } from '@tanstack/react-query';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useFollowed } from '../frame/live.tsx';
import { useLocation } from '../frame/location.ts';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { boardTexts } from './texts.ts';

/** How many minutes a pause may last; the last choice is one without an end. */
const choices = [15, 30, 60, 120, undefined] as const;

const types = ['location.updated'] as const;

/** Whether the restaurant takes orders, and the button that changes it; nothing for a key that may not. */
export function PauseButton() {
  const texts = useTexts(boardTexts);
  const format = useFormat();
  const { may } = useGranted();
  const isShown = may?.('orders:pause') === true && may('locations:read');
  useFollowed(['location'], { types, everyMs: 1_000, isSeen: isShown });
  const { data } = useLocation(isShown);
  const { pause, resume, isPending } = usePause();
  if (!isShown || data === undefined) return null;
  const { paused, paused_until: until, pause_reason: reason } = data;
  if (paused)
    return (
      <p className="paused" role="status">
        <strong>{until === undefined ? texts.paused : texts.pausedUntil(format.moment(until))}</strong>{' '}
        {reason}{' '}
        <button type="button" className="resume-button" disabled={isPending} onClick={() => resume()}>
          {texts.resume}
        </button>
      </p>
    );
  return (
    <Dialog.Root>
      <Dialog.Trigger className="pause-button" disabled={isPending}>
        {texts.pause}
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog pause">
          <Dialog.Title>{texts.pause}</Dialog.Title>
          <Dialog.Description>{texts.pauseMeans}</Dialog.Description>
          <div className="pause-choices">
            {choices.map((minutes) => (
              <Dialog.Close key={minutes ?? 'open'} onClick={() => pause(minutes)}>
                {minutes === undefined ? texts.withoutEnd : texts.forMinutes(minutes)}
              </Dialog.Close>
            ))}
          </div>
          <footer>
            <Dialog.Close className="primary">{texts.goOn}</Dialog.Close>
          </footer>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Pauses for some minutes, or without an end, and resumes. Both show at once; the event tells the other screens. */
function usePause() {
  const { comanda } = useComanda();
  const texts = useTexts(boardTexts);
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  const { act, isPending } = useAct<unknown, () => Promise<unknown>>({
    mutationFn: (change) => change(),
    onError: (error) => notify(texts.pause, say(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: ['location'] }),
  });
  return {
    isPending,
    pause: (minutes: number | undefined) => {
      const end = minutes && new Date(Date.now() + minutes * 60_000).toISOString();
      act(() => comanda.locations.pause.mutate({ ...(end && { until: end }) }));
    },
    resume: () => act(() => comanda.locations.resume.mutate()),
  };
}
