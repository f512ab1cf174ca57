import { isId, newSigningSecret, type SecretBox, type Transaction } from '@comanda/db';
import { type AuditActor, auditAs } from '../../call/audit.ts';
import { notFound } from '../../errors.ts';
import type { RotateSecret, WebhookEndpoint, WebhookEndpointWithSecret } from './schema.ts';
import * as sql from './statements.ts';

/** Makes a new signing secret; the old one signs as well for 24 hours, or no longer. Throws `resource_not_found`. */
export async function rotateIn(
  tx: Transaction,
  actor: AuditActor,
  secrets: SecretBox,
  { id, expire_previous: now = false }: RotateSecret,
): Promise<WebhookEndpointWithSecret> {
  const { locationId } = actor;
  // Its row is held: of two rotations at once the second sees the secret of the first.
  const { doc } = await oneOf(id, () => tx.run(sql.holdEndpoint, [locationId, id]));
  const [old] = await tx.run(sql.expireSecrets, [locationId, id, now]);
  const made = await withSecret(tx, secrets, locationId, doc);
  auditAs(tx, actor, 'webhookEndpoints.rotateSecret', id, {
    before: null,
    after: { old_secret_until: old?.expires_at ?? null },
  });
  return made;
}

/** The endpoint that was read. Throws `resource_not_found` when there is none, or the id is malformed. */
export async function oneOf(id: string, read: () => Promise<sql.EndpointText[]>): Promise<sql.EndpointText> {
  const [found] = isId(id) ? await read() : [];
  if (found === undefined) throw notFound('Webhook endpoint');
  return found;
}

/** Gives an endpoint, by its JSON text, a new signing secret, which is stored sealed. */
export async function withSecret(
  tx: Transaction,
  secrets: SecretBox,
  locationId: string,
  doc: string,
): Promise<WebhookEndpointWithSecret> {
  const endpoint = JSON.parse(doc) as WebhookEndpoint;
  const secret = newSigningSecret();
  const { keyId, sealed } = secrets.seal(secret, { locationId, endpointId: endpoint.id });
  await tx.run(sql.insertSecret, [locationId, endpoint.id, keyId, sealed]);
  return { ...endpoint, secret };
}
