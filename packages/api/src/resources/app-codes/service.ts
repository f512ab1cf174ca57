import type { Transaction } from '@comanda/db';
import type { App, RequestContext } from '../../call/context.ts';
import { inSlot } from '../../capacity/slots.ts';
import { ApiError, unauthorized } from '../../errors.ts';
import { wireTime } from '../../wire.ts';
import { isPersonsKey, personsKey } from '../keys/schema.ts';
import { insertKey, revokeIn } from '../keys/store.ts';
import { type Guesses, guessesOf } from './guesses.rules.ts';
import { type SignedIn, type SignedOut, screenNames, screens } from './schema.ts';
import * as sql from './statements.ts';
import { codeHash, foundCodes } from './store.ts';

/** Each process counts for itself. */
const counted = new WeakMap<App, Guesses>();

/**
 * Gives a key for a code: one of its own, that may do what its screens need, until it ends by itself. Throws
 * `unauthorized` for a code that was used, is too old or is none; of the last kind 429 to an address that gave many.
 */
export async function redeem(
  { app, requestId, clientAddress }: RequestContext,
  { code }: { code: string },
): Promise<{ value: SignedIn; apiKeyId: string; locationId: string }> {
  const hash = codeHash(code);
  const found = hash && (await app.capacity.joinedReads.read(foundCodes, hash));
  if (hash === undefined || found === undefined) throw guessed(app, clientAddress ?? '');
  if (found.state !== 'usable') throw refused(`app_code_${found.state}`);
  const { location_id: locationId } = found;
  const signedIn = await inSlot(
    app.capacity.slots,
    { locationId, resource: 'app-codes', kind: 'mutation' },
    () => app.database.transaction(requestId, (tx) => use(tx, hash, { requestId, clientAddress })),
  );
  // Of several at the same moment one was first.
  if (signedIn === undefined) throw refused('app_code_used');
  return signedIn;
}

/**
 * Revokes the key that a code gave. A call that ends a session is outside of the limits and permissions of its key: a
 * person who signs out never has to wait. Throws `unauthorized` for a key that is none of a person at the app.
 */
export async function signOut(
  { app, requestId, clientAddress }: RequestContext,
  { key }: { key: string },
): Promise<{ value: SignedOut; apiKeyId: string; locationId: string }> {
  const { apiKeyId, keyName, locationId } = await app.credentials.authenticate(`Bearer ${key}`);
  if (!isPersonsKey(keyName)) throw unauthorized('key_not_valid');
  const actor = { kind: 'api_key', locationId, apiKeyId, requestId, clientAddress } as const;
  await inSlot(app.capacity.slots, { locationId, resource: 'app-codes', kind: 'mutation' }, () =>
    app.database.transaction(requestId, (tx) => revokeIn(tx, actor, apiKeyId)),
  );
  return { value: { signed_out: true }, apiKeyId, locationId };
}

/** Uses a code and makes its key; undefined where another call has used it. */
async function use(
  tx: Transaction,
  hash: Buffer,
  request: { requestId: string; clientAddress: string | undefined },
) {
  const [row] = await tx.run(sql.useCode, [hash]);
  if (row === undefined) return undefined;
  const { location_id: locationId, name, key_hours, timezone, currency } = row;
  const opened = screenNames.filter((screen) => row.screens.includes(screen));
  const expiresAt = new Date(Date.now() + key_hours * 3_600_000);
  const permissions = [...new Set(opened.flatMap((screen) => screens[screen]))];
  const key = await insertKey(
    tx,
    { kind: 'api_key', locationId, ...request },
    { name: personsKey(name), code: row.code, sandbox: row.sandbox },
    { permissions, limits: {}, expiresAt },
  );
  const value = {
    key: key.key,
    expires_at: wireTime(expiresAt, timezone),
    name,
    screens: opened,
    location: { id: locationId, name: row.location_name, timezone, currency },
  };
  return { value, apiKeyId: key.id, locationId };
}

/** The answer to a code that was never made: it counts against its address, and after a few of them says to wait. */
function guessed(app: App, address: string): ApiError {
  const guesses = counted.get(app) ?? guessesOf();
  counted.set(app, guesses);
  const now = performance.now();
  const wait = guesses.waitOf(address, now);
  if (wait === 0) {
    guesses.note(address, now);
    return refused('app_code_unknown');
  }
  return new ApiError('too_many_codes', `Too many codes that are none; try again in ${wait} s.`, {
    headers: { 'Retry-After': String(wait) },
  });
}

type Missed = 'app_code_unknown' | 'app_code_used' | 'app_code_expired';

const refused = (reason: Missed): ApiError =>
  new ApiError(reason, messages[reason], { headers: { 'WWW-Authenticate': 'Bearer' } });

const messages: Readonly<Record<Missed, string>> = {
  app_code_unknown: 'This code is incomplete or was never made; open the whole link, or ask for another.',
  app_code_used: 'This code was used already; each signs in once. Ask for another.',
  app_code_expired: 'This code is older than ten minutes; ask for another.',
};
