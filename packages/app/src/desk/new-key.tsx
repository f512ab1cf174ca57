import type { Grant, Permission } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { keyTexts } from './key-texts.ts';
import { covers } from './permissions-known.ts';
import { allPermissions } from './permissions-made.ts';
import { deskTexts } from './texts.ts';
import { useWhen } from './when.ts';

/** The usual purposes of keys, with their permissions. */
const uses = {
  erp: [
    'orders:*',
    'products:*',
    'categories:*',
    'stock:*',
    'catalog:*',
    'payments:read',
    'events:read',
    'sync:*',
    'webhooks:*',
  ],
  reader: ['orders:read', 'products:read', 'categories:read', 'stock:read', 'catalog:read', 'events:read'],
  stock: ['products:read', 'stock:read', 'stock:sync'],
} as const satisfies Record<string, readonly Grant[]>;

type Use = keyof typeof uses;

/** Permissions that are picked one by one. */
const choice = 'choice';

/** Makes a key for a use, or with permissions that are picked, of those that the person has; its text is given to `onMade` and shown once. */
export function NewKey({ onMade }: { onMade(name: string, text: string): void }) {
  const { comanda, session } = useComanda();
  const when = useWhen();
  const texts = useTexts(deskTexts);
  const own = useTexts(keyTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [use, setUse] = useState<Use | typeof choice>('erp');
  const [picked, setPicked] = useState<ReadonlySet<Permission>>(new Set());
  const { may, grants } = useGranted();
  const isGiven = (grant: string) => grants.some((each) => covers(each, grant));
  const offered = (Object.keys(uses) as Use[]).filter((each) => uses[each].every(isGiven));
  // A key grants no more than its maker has.
  const chosen = use === choice || offered.includes(use) ? use : (offered[0] ?? choice);
  const permissions: readonly Grant[] = chosen === choice ? [...picked] : uses[chosen];
  const { act, isPending, error } = useAct({
    mutationFn: () => comanda.keys.create.mutate({ name: name.trim(), permissions: [...permissions] }),
    onSuccess: ({ key, name: made }) => {
      setName('');
      setPicked(new Set());
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
        <select value={chosen} onChange={({ target }) => setUse(target.value as Use | typeof choice)}>
          {offered.map((each) => (
            <option key={each} value={each}>
              {texts.uses[each]}
            </option>
          ))}
          <option value={choice}>{own.choice}</option>
        </select>
      </label>
      {chosen === choice && (
        <fieldset>
          <legend>{texts.permissions}</legend>
          {allPermissions
            .filter((permission) => may?.(permission))
            .map((permission) => (
              <label key={permission} className="check">
                <input
                  type="checkbox"
                  checked={picked.has(permission)}
                  onChange={({ target }) =>
                    setPicked(
                      new Set(
                        allPermissions.filter((each) =>
                          each === permission ? target.checked : picked.has(each),
                        ),
                      ),
                    )
                  }
                />
                {permission}
              </label>
            ))}
        </fieldset>
      )}
      <button type="submit" className="primary" disabled={isPending || permissions.length === 0}>
        {texts.makeKey}
      </button>
      <p className="quiet">{texts.keyEnds(when(session.expires_at))}</p>
      <p className="fault" role="alert">
        {error && say(error)}
      </p>
    </form>
  );
}
