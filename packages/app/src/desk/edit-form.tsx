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
  /** The heading above it, where a section of the form begins. */
  section?: string;
}

/** How fields are written. */
interface Write<Name extends string> {
  /** The tag of what is known, of a resource that has one. */
  etag?: string | undefined;
  /** Reads what is known now: for what has no tag, before it is written. */
  readNow?(): Promise<Texts<Name>>;
  /** Writes the changed fields; `seen` is what was known when the typing began. */
  save(changed: Partial<Texts<Name>>, etag: string | undefined, seen: Texts<Name>): Promise<unknown>;
}

interface Props<Name extends string> extends Write<Name> {
  /** Names the form. */
  label: string;
  fields: readonly EditField<Name>[];
  known: Texts<Name>;
  isReadOnly: boolean;
  /** On the button; unless given, that it saves. */
  submit?: string;
  /** The fields that another call writes. If one of the calls is refused, the other one is still made. */
  apart?: Write<Name> & { names: readonly Name[] };
}

/** A call that was refused, and the fields that it did not write. */
interface Refusal<Name extends string> {
  error: unknown;
  names: readonly Name[];
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
  const { label, fields, known, isReadOnly, submit: shownSubmit, apart } = props;
  const texts = useTexts(deskTexts);
  const { reasons } = useTexts(frameTexts);
  const say = useRefusal();
  const queries = useQueryClient();
  const [given, setGiven] = useState<Partial<Texts<Name>>>({});
  const [before, setBefore] = useState<{ etags: (string | undefined)[]; known: Texts<Name> }>();
  const writes: readonly Write<Name>[] = apart === undefined ? [props] : [props, apart];
  const typed = fields
    .map(({ name }) => name)
    .filter((name) => given[name] !== undefined && given[name] !== known[name]);
  const write = async ({ etag, readNow, save }: Write<Name>, at: number, names: readonly Name[]) => {
    const isAs = (now: Texts<Name>) =>
      before === undefined || names.every((name) => now[name] === before.known[name]);
    if (readNow !== undefined && !isAs(await readNow())) throw new Overtaken();
    const changed = Object.fromEntries(names.map((name) => [name, given[name]])) as Partial<Texts<Name>>;
    await save(changed, isAs(known) ? etag : before?.etags[at], before?.known ?? known);
  };
  const {
    act,
    isPending,
    data: { refused: refusals } = { refused: [] },
  } = useAct({
    async mutationFn() {
      const refused: Refusal<Name>[] = [];
      for (const [at, each] of writes.entries()) {
        const names = typed.filter((name) => (apart?.names.includes(name) === true) === (each === apart));
        if (names.length > 0) await write(each, at, names).catch((error) => refused.push({ error, names }));
      }
      return { refused, sent: given };
    },
    async onSuccess({ refused, sent }) {
      await queries.invalidateQueries();
      setBefore(undefined);
      // What was typed while it was saved stays, too.
      const unsaved = new Set<string>(refused.flatMap(({ names }) => names));
      setGiven((all) => {
        const kept = Object.entries(all).filter(
          ([name, text]) => unsaved.has(name) || text !== sent[name as Name],
        );
        return Object.fromEntries(kept) as Partial<Texts<Name>>;
      });
    },
  });
  const isOvertaken = (error: unknown) =>
    error instanceof Overtaken || overtaken.has(comandaError(error)?.reason);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    act();
  };
  const inputs = (shown: typeof fields) =>
    shown.map(({ name, label: title, kind = 'text', isOptional }) => (
      <EditInput
        key={name}
        {...{ name, kind, isReadOnly, isOptional: isOptional === true }}
        label={title}
        value={given[name] ?? known[name]}
        now={
          refusals.some(({ error, names }) => isOvertaken(error) && names.includes(name))
            ? known[name]
            : undefined
        }
        onChange={(value) => {
          setGiven({ ...given, [name]: value });
          setBefore(before ?? { etags: writes.map(({ etag }) => etag), known });
        }}
      />
    ));
  const sentences = refusals.map(({ error }) =>
    error instanceof Overtaken ? reasons.changed_since : say(error),
  );
  return (
    <form className="edit" aria-label={label} onSubmit={submit}>
      {sectionsOf(fields).map(([first, ...others]) =>
        first?.section === undefined ? (
          inputs(first === undefined ? [] : [first, ...others])
        ) : (
          <section key={first.section} aria-label={first.section}>
            <h3>{first.section}</h3>
            {inputs([first, ...others])}
          </section>
        ),
      )}
      {!isReadOnly && (
        <button type="submit" className="primary" disabled={isPending || typed.length === 0}>
          {shownSubmit ?? texts.save}
        </button>
      )}
      <p className="fault" role="alert">
        {[...new Set(sentences)].join(' ')}
      </p>
    </form>
  );
}

/** The fields by section; those before the first section are one, too. */
function sectionsOf<Field extends { section?: string }>(fields: readonly Field[]): Field[][] {
  const sections: Field[][] = [];
  for (const field of fields) {
    const last = sections.at(-1);
    if (last === undefined || field.section !== undefined) sections.push([field]);
    else last.push(field);
  }
  return sections;
}
