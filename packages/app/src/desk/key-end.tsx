import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useFormat } from '../frame/format.ts';
import { useTexts } from '../frame/language.tsx';
import { momentAt } from './clock.ts';
import { keyTexts } from './key-texts.ts';
import { useWhen } from './when.ts';

/** For how many days a key may last that is made here. */
const spans = ['30', '90', '365'] as const;
const session = 'session';
const day = 'day';
const dayMs = 86_400_000;

/**
 * Asks when a new key ends: with the session, after some days, or, with `withDay`, after a day of choice. `end` is the
 * moment, or undefined for the session's.
 */
export function useKeyEnd({ withDay = false } = {}) {
  const comanda = useComanda();
  const { timezone } = comanda.session.location;
  const own = useTexts(keyTexts);
  const format = useFormat();
  const when = useWhen();
  const [chosen, setChosen] = useState<string>('90');
  const [typed, setTyped] = useState('');
  const end = (): string | undefined => {
    if (chosen === session) return undefined;
    if (chosen === day) return typed === '' ? undefined : momentAt(`${typed}T23:59`, timezone);
    return new Date(Date.now() + Number(chosen) * dayMs).toISOString();
  };
  const shownEnd = chosen === session ? comanda.session.expires_at : end();
  const field = (
    <>
      <label>
        {own.lasts}
        <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
          {spans.map((days) => (
            <option key={days} value={days}>
              {own.days(Number(days))}
            </option>
          ))}
          {withDay && <option value={day}>{own.untilDay}</option>}
          <option value={session}>{own.untilSession}</option>
        </select>
      </label>
      {chosen === day && (
        <label>
          {own.lastDay}
          <input
            type="date"
            required
            min={format.today()}
            max={format.dayOf(new Date(Date.now() + 365 * dayMs))}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
      )}
    </>
  );
  return { field, end, sentence: shownEnd === undefined ? '' : own.ends(when(shownEnd)) };
}
