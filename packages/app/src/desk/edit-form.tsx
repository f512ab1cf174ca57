import { comandaError } from '@comanda/client';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAct } from '../frame/act.ts';
import { useTexts } from '../frame/language.tsx';
import { useRefusal } from '../frame/refusal.ts';
import { frameTexts } from '../frame/texts.ts';
import { EditInput, type FieldKind } from './edit-input.tsx';
import { deskTexts } from './texts.ts';

/** The known or typed values of a row, each field as its text. */
export type Texts<Name extends string> = Readonly<Record<Name, string>>;

/** A field of a row: how it is called, and how it is edited. */
export interface EditField<Name extends string> {
  name: Name;
  label: string;
  kind?: FieldKind;
  isOptional?: true;
}

interface Props<Name extends string> {
  /** Names the form. */
  label: string;
  fields: readonly EditField<Name>[];
  known: Texts<Name>;
  /** The tag of what is known, of a resource that has one. */
  etag?: string | undefined;
  /** Reads what is known now: for what has no tag, before it is written. */
  readNow?(): Promise<Texts<Name>>;
  isReadOnly: boolean;
  /** On the button; unless given, that it saves. */
  submit?: string;
  /** Writes the changed fields; `seen` is what was known when the typing began. */
  save(changed: Partial<Texts<Name>>, etag: string | undefined, seen: Texts<Name>): Promise<unknown>;
}

/** The reasons of a refusal because of other present values. */
const overtaken = new Set<string | undefined>(['changed_since', 'stock_changed']);

/** The values that another person saved first, of a row without a tag. */
class Overtaken extends Error {}

/**
 * Edits a row, or makes one from the known values of a new one. Typed text stays when the row is read again. A change
 * of the same field by another person since the typing began refuses the change, and shows the present value next to
 * the typed one; the next try writes over it.
 */
export function EditForm<Name extends string>(props: Props<Name>) {
  const { label, fields, known, etag, readNow, isReadOnly, submit: shownSubmit, save } = props;
  const texts = useTexts(deskTexts);
  const { reasons } = useTexts(frameTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const [given, setGiven] = useState<Partial<Texts<Name>>>({});
  const [before, setBefore] = useState<{ etag: string | undefined; known: Texts<Name> }>();
  const typed = fields.filter(({ name }) => given[name] !== undefined && given[name] !== known[name]);
  const isAs = (now: Texts<Name>) =>
    before === undefined || typed.every(({ name }) => now[name] === before.known[name]);
  const { act, isPending, error } = useAct({
    mutationFn: async (changed: Partial<Texts<Name>>) => {
      if (readNow !== undefined && !isAs(await readNow())) throw new Overtaken();
      return save(changed, isAs(known) ? etag : before?.etag, before?.known ?? known);
    },
    onSuccess: () => setGiven({}),
    onSettled: () => {
      setBefore(undefined);
      return queries.invalidateQueries();
    },
  });
  const isOvertaken = error instanceof Overtaken || overtaken.has(comandaError(error)?.reason);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act(Object.fromEntries(typed.map(({ name }) => [name, given[name]])) as Partial<Texts<Name>>);
  };
  return (
    <form className="edit" aria-label={label} onSubmit={submit}>
      {fields.map(({ name, label: title, kind = 'text', isOptional }) => (
        <EditInput
          key={name}
          {...{ name, kind, isReadOnly, isOptional: isOptional === true }}
          label={title}
          value={given[name] ?? known[name]}
          now={isOvertaken && typed.some((field) => field.name === name) ? known[name] : undefined}
          onChange={(value) => {
            setGiven({ ...given, [name]: value });
            setBefore(before ?? { etag, known });
          }}
        />
      ))}
      {!isReadOnly && (
        <button type="submit" className="primary" disabled={isPending || typed.length === 0}>
          {shownSubmit ?? texts.save}
        </button>
      )}
      <p className="fault" role="alert">
        {error && (error instanceof Overtaken ? reasons.changed_since : say(error))}
      </p>
    </form>
  );
}
