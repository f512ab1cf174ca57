import { useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useShownOnce } from '../frame/once.ts';
import { Deed } from './deed.tsx';
import { useKeyEnd } from './key-end.tsx';
import { keyTexts } from './key-texts.ts';
import { deskTexts } from './texts.ts';

/** For how many hours the old key still works. */
const graces = [0, 1, 24, 168] as const;

/** Makes a key in place of another; its text is shown once. */
export function RotateKey({ id, name }: { id: string; name: string }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(keyTexts);
  const { show } = useShownOnce();
  const [hours, setHours] = useState<number>(24);
  const { field, end, sentence } = useKeyEnd();
  return (
    <Deed
      label={own.rotate}
      of={name}
      question={{
        title: own.sureToRotate(name),
        text: (
          <>
            <label>
              {own.rotateMeans}
              <select value={hours} onChange={({ target }) => setHours(Number(target.value))}>
                {graces.map((grace) => (
                  <option key={grace} value={grace}>
                    {grace === 0 ? own.atOnce : texts.hours(grace)}
                  </option>
                ))}
              </select>
            </label>
            {field}
            <p>
              {sentence} {own.rotateLonger}
            </p>
          </>
        ),
      }}
      act={() => comanda.keys.rotate.mutate({ id, grace_hours: hours, expires_at: end() })}
      onDone={({ key }) => show({ kind: 'newKey', of: name, text: key })}
    />
  );
}
