import { type Dispatch, useState } from 'react';
import { Icon } from '../frame/icons.tsx';
import { useTexts } from '../frame/language.tsx';
import { deskTexts } from './texts.ts';

/** The filters of a list, by the names of its fields; empty texts filter nothing. */
export type Filter = Readonly<Partial<Record<string, string>>>;

/**
 * The filter of a list. The entry of the browser's history keeps it, so that going back from a row finds the same rows: never in the
 * address, which servers and logs see.
 */
export function useFilter(list: string, first: Filter = {}): [Filter, Dispatch<Filter>] {
  const [filter, setFilter] = useState<Filter>(() => kept(list) ?? first);
  const change = (changed: Filter) => {
    history.replaceState({ ...history.state, [list]: changed }, '');
    setFilter(changed);
  };
  return [filter, change];
}

function kept(list: string): Filter | undefined {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null
    ? (state as Record<string, Filter | undefined>)[list]
    : undefined;
}

/** A field that narrows a list: of typed text, a day, or one of several. */
export interface FilterField {
  name: string;
  label: string;
  /** Undefined: a text. */
  kind?: 'date' | readonly { value: string; label: string }[];
}

interface Props {
  fields: readonly FilterField[];
  filter: Filter;
  onChange: Dispatch<Filter>;
  /** On the button, which takes what was typed. */
  submit: string;
}

/** The fields of a filter. A choice takes effect at once; typed text takes effect when it is submitted. */
export function Filters({ fields, filter, onChange, submit }: Props) {
  const [typed, setTyped] = useState<Filter>({});
  const all: Filter = { ...filter, ...typed };
  const texts = useTexts(deskTexts);
  // On a phone a filter of several fields is folded.
  const [isOpen, setOpen] = useState(false);
  const active = fields.filter(({ name }) => filter[name]).length;
  const change = (name: string, value: string) => {
    onChange({ ...all, [name]: value });
    setTyped({});
  };
  return (
    <search>
      {fields.length > 1 && (
        <button
          type="button"
          className="filters-button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="filter" />
          {active > 0 ? texts.filtersSet(active) : texts.filters}
        </button>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onChange(all);
          setTyped({});
        }}
      >
        {fields.map(({ name, label, kind }) => (
          <label key={name} htmlFor={name}>
            {label}
            {kind === undefined ? (
              <input
                id={name}
                type="search"
                value={all[name] ?? ''}
                maxLength={100}
                autoComplete="off"
                onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
              />
            ) : kind === 'date' ? (
              <input
                id={name}
                type="date"
                value={all[name] ?? ''}
                onChange={({ target }) => change(name, target.value)}
              />
            ) : (
              <select id={name} value={all[name] ?? ''} onChange={({ target }) => change(name, target.value)}>
                {kind.map(({ value, label: shown }) => (
                  <option key={value} value={value}>
                    {shown}
                  </option>
                ))}
              </select>
            )}
          </label>
        ))}
        <button type="submit">{submit}</button>
      </form>
    </search>
  );
}
