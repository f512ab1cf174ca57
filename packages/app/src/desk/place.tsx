import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useComanda } from '../frame/comanda.tsx';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { useGranted } from './granted.ts';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';

const fields = ['name', 'timezone', 'currency'] as const;

type Field = (typeof fields)[number];

/** The location's name, time zone and currency. */
export function Place() {
  const { comanda } = useComanda();
  const frame = useTexts(frameTexts);
  const say = useRefusal();
  const { data, error } = useQuery({
    queryKey: ['location'],
    queryFn: ({ signal }) => comanda.locations.getCurrent.query(undefined, { signal }),
  });
  if (data === undefined)
    return <p role={error ? 'alert' : undefined}>{error ? say(error) : frame.loading}</p>;
  return <Form key={JSON.stringify(data)} {...data} />;
}

function Form({ id, ...known }: { id: string } & Record<Field, string>) {
  const { comanda, relocate } = useComanda();
  const texts = useTexts(deskTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const may = useGranted().may?.('locations:write') === true;
  const [given, setGiven] = useState<Record<Field, string>>(known);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (changed: Partial<Record<Field, string>>) =>
      comanda.locations.update.mutate({ id, ...changed }),
    onSuccess: ({ name, timezone, currency }) => {
      relocate({ name, timezone, currency });
      return queries.invalidateQueries();
    },
  });
  const changed = Object.fromEntries(
    fields.filter((field) => given[field] !== known[field]).map((field) => [field, given[field]]),
  );
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate(changed);
  };
  return (
    <form onSubmit={save}>
      {fields.map((field) => (
        <label key={field}>
          {texts.fields[field]}
          <input
            required
            readOnly={!may}
            value={given[field]}
            onChange={({ target }) => setGiven({ ...given, [field]: target.value })}
          />
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
