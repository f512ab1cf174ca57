import type { Grant, Permission } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { useKeyEnd } from './key-end.tsx';
import { type Job, jobNames, jobs } from './key-presets.ts';
import { keyTexts } from './key-texts.ts';
import { PermissionList } from './permission-list.tsx';
import { covers } from './permissions-known.ts';
import { allPermissions } from './permissions-made.ts';
import { deskTexts } from './texts.ts';

/** Permissions that are picked one by one. */
const choice = 'choice';

/** Makes a key for a job, or with permissions that are picked, of those that the person has; its text is given to `onMade` and shown once. */
export function NewKey({ onMade }: { onMade(name: string, text: string): void }) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const own = useTexts(keyTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [wanted, setWanted] = useState<Job | typeof choice>('erp');
  const [picked, setPicked] = useState<ReadonlySet<Permission>>(new Set());
  const [isOpen, setIsOpen] = useState(false);
  const { field, end, sentence } = useKeyEnd({ withDay: true });
  const { may, grants } = useGranted();
  const isGiven = (grant: string) => grants.some((each) => covers(each, grant));
  const offered = jobNames.filter((job) => jobs[job].every(isGiven));
  // A key grants no more than its maker has.
  const job = wanted === choice || offered.includes(wanted) ? wanted : (offered[0] ?? choice);
  const permissions: readonly Grant[] = job === choice ? [...picked] : jobs[job];
  const offeredPermissions = allPermissions.filter((permission) => may?.(permission));
  const shown = new Set(
    allPermissions.filter((permission) => permissions.some((grant) => covers(grant, permission))),
  );
  const { act, isPending, error } = useAct({
    mutationFn: () =>
      comanda.keys.create.mutate({ name: name.trim(), permissions: [...permissions], expires_at: end() }),
    onSuccess: ({ key, name: made }) => {
      setName('');
      setWanted('erp');
      setPicked(new Set());
      setIsOpen(false);
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
        <select
          value={job}
          onChange={({ target }) => {
            const next = target.value as Job | typeof choice;
            setWanted(next);
            setPicked(new Set());
            if (next === choice) setIsOpen(true);
          }}
        >
          {offered.map((each) => (
            <option key={each} value={each}>
              {own.jobs[each]}
            </option>
          ))}
          <option value={choice}>{own.choice}</option>
        </select>
      </label>
      {field}
      <p className="quiet">
        {own.jobMeans[job]} {sentence} {own.longer}
      </p>
      <details
        className="permissions"
        open={isOpen}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>{own.details(shown.size, offeredPermissions.length)}</summary>
        <PermissionList
          offered={offeredPermissions}
          picked={shown}
          onChange={(next) => {
            setWanted(choice);
            setPicked(next);
          }}
        />
      </details>
      <button type="submit" className="primary" disabled={isPending || permissions.length === 0}>
        {texts.makeKey}
      </button>
      <p className="fault" role="alert">
        {error && say(error)}
      </p>
    </form>
  );
}
