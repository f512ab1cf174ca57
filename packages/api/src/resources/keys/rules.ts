import type { FieldFault } from '../../errors.ts';
import { type Grant, grants } from '../../permissions.ts';
import { isPersonsKey, type KeyLimits } from './schema.ts';

/** How far a key reaches: what it was granted, its limits, and until when. */
export interface KeyReach {
  granted: readonly string[];
  limits: KeyLimits;
  /** Null: for good. */
  expiresAt: Date | null;
  /** The latest end of a key that it makes; null: none. */
  latestEnd: Date | null;
}

/** For how many days a key lasts at most that a person at the app makes. */
const mostDays = 366;

/**
 * The latest end of a key that this one makes. A key of a person ends with the session, so it may make keys that last
 * longer; a key of a program never does.
 */
export function latestEndOf(
  { name, expiresAt }: { name: string; expiresAt: Date | null },
  now: Date,
): Date | null {
  if (expiresAt === null || !isPersonsKey(name)) return expiresAt;
  return new Date(Math.max(expiresAt.getTime(), now.getTime() + mostDays * 86_400_000));
}

/** The input for a new key. */
export interface WantedKey {
  permissions: readonly Grant[];
  limits: Partial<KeyLimits>;
  expiresAt: Date | null;
}

/**
 * Where a new key would reach further than the one that makes it lets it: not more permissions, no higher limits, no
 * end after `latestEnd`. `*` covers what is added later, so only `*` grants it; `resource:*` likewise.
 */
export function exceeding(maker: KeyReach, wanted: WantedKey): FieldFault[] {
  const granted = new Set(maker.granted);
  const faults = wanted.permissions.flatMap((permission, index) =>
    grants(granted, permission) ? [] : [{ path: `permissions[${index}]`, message: `not ${permission}` }],
  );
  for (const [name, most] of limitsOf(maker)) {
    if ((wanted.limits[name] ?? 0) > most) faults.push({ path: name, message: `at most ${most}` });
  }
  if (maker.latestEnd !== null && wanted.expiresAt !== null && wanted.expiresAt > maker.latestEnd)
    faults.push({ path: 'expires_at', message: `not after ${maker.latestEnd.toISOString()}` });
  return faults;
}

/** The new key as it is made: what was left out is the default, where its maker has less the maker's own. */
export function withinReach(maker: KeyReach, wanted: WantedKey, defaults: KeyLimits): WantedKey {
  const tighter = limitsOf(maker).filter(([name, most]) => most < defaults[name]);
  return {
    ...wanted,
    limits: { ...Object.fromEntries(tighter), ...wanted.limits },
    expiresAt: wanted.expiresAt ?? maker.expiresAt,
  };
}

/** The permissions that a key would be left with and does not have: it is narrowed, never widened. */
export function widening(granted: readonly string[], left: readonly Grant[]): FieldFault[] {
  const has = new Set(granted);
  return left.flatMap((permission, index) =>
    grants(has, permission)
      ? []
      : [{ path: `permissions[${index}]`, message: `must be one that the key has; ${permission} is not` }],
  );
}

/** The earlier of two ends; null: none. */
export const earlier = (one: Date | null, other: Date | null): Date | null =>
  one === null ? other : other === null || one < other ? one : other;

const limitsOf = ({ limits }: KeyReach) => Object.entries(limits) as [keyof KeyLimits, number][];
