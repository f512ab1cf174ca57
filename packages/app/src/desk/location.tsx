import { useQueryClient } from '@tanstack/react-query';
import { useComanda } from '../frame/comanda.tsx';
import { useGranted } from '../frame/granted.ts';
import { useTexts } from '../frame/language.tsx';
import { tagged, useLocation } from '../frame/location.ts';
import { useRefusal } from '../frame/refusal.ts';
import { Unread } from '../frame/skeleton.tsx';
import { EditForm } from './edit-form.tsx';
import { StudioLink } from './studio.tsx';
import { deskTexts } from './texts.ts';

const fields = ['name', 'timezone', 'currency'] as const;

type Field = (typeof fields)[number];

/** The location's name, time zone and currency. */
export function LocationSettings() {
  const say = useRefusal();
  const { data, error } = useLocation();
  if (data === undefined) return <Unread {...{ error, say }} />;
  return <Form {...data} />;
}

function Form({ id, etag, ...known }: { id: string; etag: string | undefined } & Record<Field, string>) {
  const { comanda } = useComanda();
  const texts = useTexts(deskTexts);
  const queries = useQueryClient();
  const may = useGranted().may?.('locations:write') === true;
  return (
    <>
      <EditForm
        label={texts.parts.location}
        fields={fields.map((name) => ({ name, label: texts.fields[name] }))}
        known={known}
        etag={etag}
        isReadOnly={!may}
        save={async (changed, expected) => {
          const saved = await comanda.locations.update.mutate({ id, ...changed, expected });
          queries.setQueryData(['location'], tagged(saved));
        }}
      />
      <StudioLink table="locations" id={id} />
    </>
  );
}
