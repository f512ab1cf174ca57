import { ApiError } from '../../errors.ts';
import { type Grant, grants } from '../../permissions.ts';
import { type EventType, events, eventTypes } from './types.schema.ts';

/** A key, as far as it decides which events it sees. */
export interface Viewer {
  /** The key's grants: permissions, `resource:*`, `*`. */
  granted: ReadonlySet<string>;
  /** A key that was made before event types had permissions: it sees every type. */
  allEventTypes: boolean;
}

/** Whether a key sees events of a type. */
const sees = ({ granted, allEventTypes }: Viewer, type: string): boolean =>
  allEventTypes || grants(granted, permissionFor(type));

/** The types among these that a key does not see; of all types unless given. */
export const hiddenFrom = (viewer: Viewer, types: readonly string[] = eventTypes): string[] =>
  types.filter((type) => !sees(viewer, type));

// A type of a later release is stored where this one serves at the same time.
function permissionFor(type: string): Grant {
  const rows: Readonly<Record<string, { permission: Grant }>> = events;
  return rows[type]?.permission ?? '*';
}

/** The types that are read for a key, and those that are left out. */
export interface Shown {
  /** Undefined for every type. */
  types: EventType[] | undefined;
  /** Left out without having been asked for. */
  hidden: string[];
}

/** The types that a key gets: those that it asks for, else all that it sees. Throws `permission_denied` for a hidden one. */
export function shownTo(viewer: Viewer, asked: readonly EventType[] | undefined): Shown {
  if (asked !== undefined) {
    refuseHidden(viewer, asked);
    return { types: [...new Set(asked)], hidden: [] };
  }
  const hidden = hiddenFrom(viewer);
  if (hidden.length === 0) return { types: undefined, hidden };
  return { types: eventTypes.filter((type) => !hidden.includes(type)), hidden };
}

/** Throws `permission_denied` where a key does not see all of these types; the message names the first one's permission. */
export function refuseHidden(viewer: Viewer, types: readonly string[]): void {
  const [type] = hiddenFrom(viewer, types);
  if (type === undefined) return;
  throw new ApiError(
    'permission_missing',
    `The key lacks the permission ${permissionFor(type)}, which events of type ${type} need.`,
  );
}

/** The header that names the types which an answer leaves out. */
export const hiddenHeader = (hidden: readonly string[]): { 'X-Hidden-Event-Types'?: string } =>
  hidden.length === 0 ? {} : { 'X-Hidden-Event-Types': hidden.join(', ') };
