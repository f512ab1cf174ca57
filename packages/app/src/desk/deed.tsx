import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { useAct } from '../frame/act.ts';
import { useTexts } from '../frame/language.tsx';
import { useNotify } from '../frame/notices.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { deskTexts } from './texts.ts';

interface Props<Result> {
  /** On the button, and on the one that confirms. */
  label: string;
  /** Names its subject, for a person that hears a list of equal buttons. */
  of?: string;
  /** The question that is asked before it is done; without it, it is done at once. */
  question?: { title: string; text: ReactNode };
  act(): Promise<Result>;
  onDone?(result: Result): void;
}

/** A button that does something. A refusal is shown in the service's own sentence; the shown data is read again. */
export function Deed<Result>({ label, of, question, act, onDone }: Props<Result>) {
  const texts = useTexts(deskTexts);
  const say = useRefusal();
  const notify = useNotify();
  const queries = useQueryClient();
  const confirming = useRef<HTMLButtonElement>(null);
  const { act: begin, isPending } = useAct({
    mutationFn: act,
    onSuccess: (result) => onDone?.(result),
    onError: (error) => notify(`${label}${of === undefined ? '' : ` ${of}`}`, say(error)),
    onSettled: () => queries.invalidateQueries(),
  });
  const name = of === undefined ? label : `${label} ${of}`;
  if (question === undefined)
    return (
      <button type="button" disabled={isPending} aria-label={name} onClick={() => begin()}>
        {label}
      </button>
    );
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger disabled={isPending} aria-label={name}>
        {label}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup
          className="dialog"
          onKeyDown={({ key, target, nativeEvent }) => {
            if (key === 'Enter' && target instanceof HTMLInputElement && !nativeEvent.isComposing)
              confirming.current?.click();
          }}
        >
          <AlertDialog.Title>{question.title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{question.text}</AlertDialog.Description>
          <footer>
            <AlertDialog.Close>{texts.keep}</AlertDialog.Close>
            <AlertDialog.Close ref={confirming} className="primary" onClick={() => begin()}>
              {label}
            </AlertDialog.Close>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
