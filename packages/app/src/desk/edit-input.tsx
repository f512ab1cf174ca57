import { useId } from 'react';
import { useTexts } from '../frame/language.tsx';
import { editTexts } from './edit-texts.ts';
import { Picture } from './picture.tsx';
import { deskTexts } from './texts.ts';

/**
 * How a field is edited: one of several is chosen, of `several` any number, whose values are separated by commas in
 * the text.
 */
export type FieldKind =
  | 'text'
  /** A text of several lines. */
  | 'long'
  | 'amount'
  | 'quantity'
  | 'whole'
  /** A whole number that is not negative. */
  | 'count'
  | 'moment'
  | 'check'
  /** The address of a picture, which is shown: the name of what is on it. */
  | { pictureOf: string }
  | { options: readonly Option[]; several?: true };

interface Option {
  value: string;
  label: string;
}

interface Props {
  name: string;
  label: string;
  kind: FieldKind;
  value: string;
  /** The present value, where another person changed it. */
  now: string | undefined;
  isReadOnly: boolean;
  isOptional: boolean;
  onChange(value: string): void;
}

/** The characters that browsers accept; a comma is read as a point. */
const patterns = {
  text: undefined,
  long: undefined,
  moment: undefined,
  amount: '\\d{1,10}([.,]\\d{1,2})?',
  quantity: '\\d{1,10}([.,]\\d{1,3})?',
  whole: '-?\\d{1,5}',
  count: '\\d{1,10}',
} as const;

/** The values of a text of several. */
export const severalIn = (text: string): string[] => text.split(',').filter((value) => value !== '');

/** One field of a form, and next to it the value that another person has saved meanwhile. */
export function EditInput(props: Props) {
  const { label, kind, value, now, isReadOnly, isOptional, onChange } = props;
  const texts = useTexts(deskTexts);
  const own = useTexts(editTexts);
  const id = useId();
  const overtaken = now !== undefined && <span className="quiet">{texts.isNow(shown(kind, now, own))}</span>;
  if (kind === 'check')
    return (
      <label className="check" htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          disabled={isReadOnly}
          checked={value === 'true'}
          onChange={({ target }) => onChange(String(target.checked))}
        />
        {label}
        {overtaken}
      </label>
    );
  if (typeof kind === 'string')
    return (
      <label htmlFor={id}>
        {label}
        {kind === 'long' ? (
          <textarea
            id={id}
            rows={3}
            required={!isOptional}
            readOnly={isReadOnly}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        ) : (
          <input
            id={id}
            required={!isOptional}
            readOnly={isReadOnly}
            {...(kind === 'moment'
              ? { type: 'datetime-local' }
              : kind !== 'text' && {
                  inputMode: kind === 'whole' || kind === 'count' ? 'numeric' : 'decimal',
                  pattern: patterns[kind],
                })}
            value={value}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
        )}
        {overtaken}
      </label>
    );
  if ('pictureOf' in kind)
    return (
      <>
        <label htmlFor={id}>
          {label}
          <input
            id={id}
            required={!isOptional}
            readOnly={isReadOnly}
            inputMode="url"
            pattern="https?://\S+"
            value={value}
            autoComplete="off"
            onChange={({ target }) => onChange(target.value)}
          />
          {overtaken}
        </label>
        <Picture of={kind.pictureOf} at={value} />
      </>
    );
  if (kind.several === undefined)
    return (
      <label htmlFor={id}>
        {label}
        <select id={id} disabled={isReadOnly} value={value} onChange={({ target }) => onChange(target.value)}>
          {kind.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        {overtaken}
      </label>
    );
  const chosen = new Set(severalIn(value));
  return (
    <fieldset disabled={isReadOnly}>
      <legend>{label}</legend>
      {kind.options.map((option) => (
        <label key={option.value} className="check" htmlFor={`${id} ${option.value}`}>
          <input
            id={`${id} ${option.value}`}
            type="checkbox"
            checked={chosen.has(option.value)}
            onChange={({ target }) => {
              const all = kind.options.filter((each) =>
                each.value === option.value ? target.checked : chosen.has(each.value),
              );
              onChange(all.map((each) => each.value).join());
            }}
          />
          {option.label}
        </label>
      ))}
      {overtaken}
    </fieldset>
  );
}

/** A value as a person reads it. */
function shown(kind: FieldKind, value: string, { yes, no }: { yes: string; no: string }): string {
  if (kind === 'check') return value === 'true' ? yes : no;
  if (typeof kind === 'string') return kind === 'moment' ? value.replace('T', ' ') : value;
  if ('pictureOf' in kind) return value;
  const chosen = new Set(kind.several ? severalIn(value) : [value]);
  return kind.options
    .filter((option) => chosen.has(option.value))
    .map((option) => option.label)
    .join(', ');
}
