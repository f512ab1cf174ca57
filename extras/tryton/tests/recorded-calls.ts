import { randomUUID } from 'node:crypto';

/** A call of a program, and how it was answered. Ids, moments and secrets are names in angle brackets. */
export interface RecordedCall {
  /** The owner of its key. */
  who: string;
  /** `GET /v2/orders/<3>` */
  call: string;
  key?: string;
  body?: unknown;
  status: number;
  answer: unknown;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const moment = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g;
const day = /\b\d{4}-\d\d-\d\d\b/g;
const secret = /whsec_[\w+/=]+/g;

/** Gives everything that is another one in each run a name: the same id always the same. */
export function startNaming(hook: string): (text: string) => string {
  const names = new Map<string, string>();
  return (text) =>
    text
      .replaceAll(hook, '<hook>')
      .replace(uuid, (id) => {
        const name = names.get(id) ?? `<${names.size + 1}>`;
        names.set(id, name);
        return name;
      })
      .replace(moment, '<moment>')
      .replace(day, '<day>')
      .replace(secret, '<secret>');
}

/** The values of the names in the run that plays. */
export class Bindings {
  readonly #values = new Map<string, string>();

  /** The meaning of a name here. */
  set(name: string, value: string): void {
    this.#values.set(`<${name}>`, value);
  }

  /** A text of a request; an id that no answer has brought is one that its sender made. */
  fill(text: string): string {
    return text.replace(/<\w+>/g, (name) => {
      const value = this.#values.get(name) ?? randomUUID();
      this.#values.set(name, value);
      return value;
    });
  }

  /** Where an answer is another one than was recorded, by paths; ids that come for the first time get their value. */
  unlike(recorded: unknown, answered: unknown, path = ''): string[] {
    if (Array.isArray(recorded) && Array.isArray(answered)) {
      const lengths = recorded.length === answered.length ? [] : [`${path}.length: ${answered.length}`];
      return [
        ...lengths,
        ...recorded.flatMap((each, index) => this.unlike(each, answered[index], `${path}[${index}]`)),
      ];
    }
    if (isRecord(recorded) && isRecord(answered)) {
      const fields = new Set([...Object.keys(recorded), ...Object.keys(answered)]);
      return [...fields].flatMap((field) =>
        this.unlike(recorded[field], answered[field], `${path}.${field}`),
      );
    }
    if (typeof recorded === 'string' && typeof answered === 'string' && this.#matches(recorded, answered))
      return [];
    return recorded === answered
      ? []
      : [`${path}: ${JSON.stringify(answered)}, not ${JSON.stringify(recorded)}`];
  }

  #matches(recorded: string, answered: string): boolean {
    const pieces = recorded.split(/(<\w+>)/);
    const pattern = pieces.map((piece, at) =>
      at % 2 === 0 ? piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : `(${patternOf(piece)})`,
    );
    const found = new RegExp(`^${pattern.join('')}$`).exec(answered);
    if (found === null) return false;
    return pieces
      .filter((_, at) => at % 2 === 1)
      .every((name, at) => {
        const value = found[at + 1] ?? '';
        if (name === '<moment>') return true;
        const known = this.#values.get(name);
        if (known === undefined) this.#values.set(name, value);
        return known === undefined || known === value;
      });
  }
}

const patternOf = (name: string): string =>
  ({ '<moment>': moment.source, '<day>': day.source, '<secret>': secret.source, '<hook>': '.+' })[name] ??
  uuid.source;

/** Whether it is an object of JSON. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
