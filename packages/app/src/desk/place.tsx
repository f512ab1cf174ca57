import { comandaError } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { tagged, usePlace } from '../frame/place.ts';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';

const fields = ['name', 'timezone', 'currency'] as const;

type Field = (typeof fields)[number];

/** The location's name, time zone and currency. */
export function Place() {
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  const { data, error } = usePlace();
  if (data === undefined)
    return <p role={error ? 'alert' : undefined}>{error ? say(error) : frame.loading}</p>;
  return <Form {...data} />;
}

function Form({ id, etag, ...known }: { id: string; etag: string | undefined } & Record<Field, string>) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const may = useGranted().may?.('locations:write') === true;
  // What was typed stays when what is known is read anew.
  const [given, setGiven] = useState<Partial<Record<Field, string>>>({});
  // What was there when the typing began: a change of somebody else since to what was typed is not written over unseen.
  const [before, setBefore] = useState<{ etag: string | undefined } & Record<Field, string>>();
  const isAsBefore =
    before === undefined ||
    fields.every((field) => given[field] === undefined || known[field] === before[field]);
  const { act, isPending, error } = useAct({
    mutationFn: (changed: Partial<Record<Field, string>>) =>
      comanda.locations.update.mutate({ id, ...changed, expected: isAsBefore ? etag : before.etag }),
    onSuccess: (saved) => {
      setGiven({});
      queries.setQueryData(['location'], tagged(saved));
    },
    onSettled: () => {
      setBefore(undefined);
      return queries.invalidateQueries();
    },
  });
  const isOvertaken = comandaError(error)?.reason === 'changed_since';
  const changed = Object.fromEntries(
    fields.flatMap((field) => {
      const text = given[field] ?? known[field];
      return text === known[field] ? [] : [[field, text]];
    }),
  );
  const save = (event: FormEvent) => {
    event.preventDefault();
    act(changed);
  };
  return (
    <form onSubmit={save}>
      {fields.map((field) => (
        <label key={field}>
          {texts.fields[field]}
          <input
            required
            readOnly={!may}
            value={given[field] ?? known[field]}
            onChange={({ target }) => {
              setGiven({ ...given, [field]: target.value });
              setBefore(before ?? { etag, ...known });
            }}
          />
          {isOvertaken && given[field] !== undefined && given[field] !== known[field] && (
            <span className="quiet">{texts.isNow(known[field])}</span>
          )}
        </label>
      ))}
      {may && (
        <button type="submit" className="primary" disabled={isPending || Object.keys(changed).length === 0}>
          {texts.save}
        </button>
      )}
      <p className="fault" role="alert">
        {error && say(error)}
      </p>
      <StudioLink table="locations" id={id} />
    </form>
  );
}
