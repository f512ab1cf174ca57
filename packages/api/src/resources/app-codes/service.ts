import { ApiError } from '../../errors.ts';
import type { App, RequestContext } from '../../request/context.ts';
import { wireTime } from '../../wire.ts';
import { insertKey } from '../keys/store.ts';
import { type Guesses, guessesOf } from './guesses.rules.ts';
import { type SignedIn, screenNames, screens } from './schema.ts';
import * as sql from './statements.ts';
import { codeHash } from './store.ts';

/** Each process counts for itself. */
const counted = new WeakMap<App, Guesses>();

/**
 * Gives a key for a code: one of its own, that may do what its screens need, until it ends by itself. Throws
 * `unauthorized` for a code that was used, is too old or is none, 429 to an address that guesses.
 */
export async function redeem(
  { app, requestId, clientAddress: address = '' }: RequestContext,
  { code }: { code: string },
): Promise<{ value: SignedIn; apiKeyId: string; locationId: string }> {
  const guesses = counted.get(app) ?? guessesOf();
  counted.set(app, guesses);
  const missed = (reason: Missed) => {
    guesses.note(address, performance.now());
    return new ApiError(reason, told[reason], { headers: { 'WWW-Authenticate': 'Bearer' } });
  };
  const wait = guesses.waitOf(address, performance.now());
  if (wait > 0)
    throw new ApiError('too_many_codes', `Too many codes that are none; try again in ${wait} s.`, {
      headers: { 'Retry-After': String(wait) },
    });
  const hash = codeHash(code);
  if (hash === undefined) throw missed('app_code_unknown');
  const signedIn = await app.database.transaction(requestId, async (tx) => {
    const [row] = await tx.run(sql.useCode, [hash]);
    if (row === undefined) return undefined;
    const { location_id: locationId, name, key_hours, timezone, currency } = row;
    const opened = screenNames.filter((screen) => row.screens.includes(screen));
    const expiresAt = new Date(Date.now() + key_hours * 3_600_000);
    const permissions = [...new Set(opened.flatMap((screen) => screens[screen]))];
    const key = await insertKey(
      tx,
      { kind: 'command_line', locationId },
      { name: `app: ${name}`, code: row.code, sandbox: row.sandbox },
      { permissions, limits: {}, expiresAt },
    );
    const value = {
      ...{ key: key.key, expires_at: wireTime(expiresAt, timezone), name, screens: opened },
      location: { id: locationId, name: row.location_name, timezone, currency },
    };
    return { value, apiKeyId: key.id, locationId };
  });
  if (signedIn !== undefined) return signedIn;
  const [found] = await app.database.run(sql.findCode, [hash]);
  throw missed(found === undefined ? 'app_code_unknown' : found.used ? 'app_code_used' : 'app_code_expired');
}

type Missed = 'app_code_unknown' | 'app_code_used' | 'app_code_expired';

const told: Readonly<Record<Missed, string>> = {
  app_code_unknown: 'This code is incomplete or was never made; open the whole link, or ask for another.',
  app_code_used: 'This code was used already; each signs in once. Ask for another.',
  app_code_expired: 'This code is older than ten minutes; ask for another.',
};
