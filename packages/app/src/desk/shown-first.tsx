import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { deskTexts } from './texts.ts';

/** A change in the hands of its form: asked for, shown, written. */
export interface ShownFirst<Shown> {
  /** The difference, while it is shown. */
  shown: Shown | undefined;
  place: RefObject<HTMLElement | null>;
  isPending: boolean;
  /** Why the last step was refused, in words; empty when it was not. */
  fault: string | null;
  /** Asks for the difference: for the form. */
  submit(event: FormEvent): void;
  /** Writes what is shown. */
  write(): void;
  /** Drops what is shown: it is no longer what the form says. */
  hide(): void;
}

/**
 * A change whose difference is shown first, and which is written only where it is still the same: `write` sends the `seen`
 * of the difference back. `written` is called with the answer.
 */
export function useShownFirst<Shown extends { seen: string }>(change: {
  ask(): Promise<Shown>;
  write(seen: string): Promise<Shown>;
  written(answer: Shown): void;
}): ShownFirst<Shown> {
  const say = useRefusal();
  const queries = useQueryClient();
  const [shown, setShown] = useState<Shown>();
  const hide = () => setShown(undefined);
  const preview = useAct({ mutationFn: () => change.ask(), onSuccess: setShown });
  const write = useAct({
    mutationFn: (seen: string) => change.write(seen),
    onSuccess: (answer) => change.written(answer),
    onSettled() {
      hide();
      return queries.invalidateQueries();
    },
  });
  const place = useRef<HTMLElement>(null);
  const isShown = shown !== undefined;
  // A keyboard user goes on where the difference is.
  useEffect(() => {
    if (isShown) place.current?.focus();
  }, [isShown]);
  const error = preview.error ?? write.error;
  return {
    shown,
    place,
    isPending: preview.isPending || write.isPending,
    fault: error && say(error),
    submit(event) {
      event.preventDefault();
      preview.act();
    },
    write() {
      if (shown !== undefined) write.act(shown.seen);
    },
    hide,
  };
}

/** The difference that is shown, with the buttons that write it and leave it. */
export function Difference({
  of: { place, isPending, write, hide },
  label,
  writes,
  children,
}: {
  of: Pick<ShownFirst<unknown>, 'place' | 'isPending' | 'write' | 'hide'>;
  label: string;
  /** The button that writes; undefined when nothing differs. */
  writes: string | undefined;
  children: ReactNode;
}) {
  const texts = useTexts(deskTexts);
  return (
    <section ref={place} tabIndex={-1} aria-label={label}>
      {children}
      <div className="deeds">
        <button type="button" onClick={hide}>
          {texts.keep}
        </button>
        {writes !== undefined && (
          <button type="button" className="primary" disabled={isPending} onClick={write}>
            {writes}
          </button>
        )}
      </div>
    </section>
  );
}
