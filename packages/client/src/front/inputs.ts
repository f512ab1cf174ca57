import type { FrontAccess } from './options.ts';
import { Refused } from './refusals.ts';

/** The types of events that a session gets of those that it asks for, of all of its own where it asks for none in particular. */
export function typesFor(asked: readonly unknown[], { events = [] }: FrontAccess): string[] {
  return events.filter((type) => asked.length === 0 || asked.includes(type)).sort();
}

/** The inputs of the calls of a request, by their place. Throws `Refused` for what is not JSON, or of no batch. */
export function readInputs(text: string, isBatch: boolean): Record<number, unknown> {
  const inputs = parsed(text);
  if (!isBatch) return { 0: inputs };
  if (inputs === undefined) return {};
  if (typeof inputs !== 'object' || inputs === null || Array.isArray(inputs))
    throw new Refused('unreadable_request');
  return inputs as Record<number, unknown>;
}

function parsed(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused('unreadable_request');
  }
}

/** The input of `events.list` with the types that the session may follow; `undefined` where none is left. */
export function listInput(input: unknown, access: FrontAccess): object | undefined {
  const given = (typeof input === 'object' ? (input ?? {}) : {}) as { types?: unknown };
  const { types: asked = [] } = given;
  const types = typesFor(Array.isArray(asked) ? asked : [asked], access);
  return types.length === 0 ? undefined : { ...given, types };
}
