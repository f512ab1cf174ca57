import type { FieldFault } from '../../errors.ts';
import { type Grant, grants } from '../../permissions.ts';
import type { KeyLimits } from './schema.ts';

/** How far a key reaches: what it was granted, its limits, and until when. */
export interface KeyReach {
  granted: readonly string[];
  limits: KeyLimits;
  /** Null: for good. */
  expiresAt: Date | null;
}

/** The input for a new key. */
export interface WantedKey {
  permissions: readonly Grant[];
  limits: Partial<KeyLimits>;
  expiresAt: Date | null;
}

/**
 * Where a new key would reach further than the one that makes it; none may: not more permissions, no higher limits,
 * not for longer. `*` covers what is added later, so only `*` grants it; `resource:*` likewise.
 */
export function exceeding(maker: KeyReach, wanted: WantedKey): FieldFault[] {
  const granted = new Set(maker.granted);
  const faults = wanted.permissions.flatMap((permission, index) =>
    grants(granted, permission) ? [] : [{ path: `permissions[${index}]`, message: `not ${permission}` }],
  );
  for (const [name, most] of limitsOf(maker)) {
    if ((wanted.limits[name] ?? 0) > most) faults.push({ path: name, message: `at most ${most}` });
  }
  if (maker.expiresAt !== null && wanted.expiresAt !== null && wanted.expiresAt > maker.expiresAt)
    faults.push({ path: 'expires_at', message: 'not after its own' });
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
