import type { Grant } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

/** What most keys are for, by what they may do. */
const uses = {
  erp: [
    ...['orders:*', 'products:*', 'categories:*', 'stock:*', 'catalog:*', 'payments:read', 'events:read'],
    ...['sync:*', 'webhooks:*'],
  ],
  reader: ['orders:read', 'products:read', 'categories:read', 'stock:read', 'catalog:read', 'events:read'],
  stock: ['products:read', 'stock:read', 'stock:sync'],
} as const satisfies Record<string, readonly Grant[]>;

type Use = keyof typeof uses;

/** Makes a key for a use; its text is told to `onMade` and shown once. */
export function NewKey({ onMade }: { onMade(name: string, text: string): void }) {
  const { comanda, session } = useComanda();
  const when = useWhen();
  const texts = useTexts(deskTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [use, setUse] = useState<Use>('erp');
  const { act, isPending, error } = useAct({
    mutationFn: () => comanda.keys.create.mutate({ name: name.trim(), permissions: [...uses[use]] }),
    onSuccess: ({ key, name: made }) => {
      setName('');
      onMade(made, key);
    },
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act();
      }}
    >
      <label>
        {texts.name}
        <input required value={name} onChange={({ target }) => setName(target.value)} autoComplete="off" />
      </label>
      <label>
        {texts.use}
        <select value={use} onChange={({ target }) => setUse(target.value as Use)}>
          {Object.keys(uses).map((each) => (
            <option key={each} value={each}>
              {texts.uses[each as Use]}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" className="primary" disabled={isPending}>
        {texts.makeKey}
      </button>
      <p className="quiet">{texts.keyEnds(when(session.expires_at))}</p>
      <p className="fault" role="alert">
        {error && say(error)}
      </p>
    </form>
  );
}
