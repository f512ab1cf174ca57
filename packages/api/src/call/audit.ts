import { newId, type Statement, statement, type Transaction } from '@comanda/db';
import type { CallContext } from './context.ts';
import { operator } from './operator.ts';

/** Fields as they were and as they are; `before` is null for what was made, `after` for what was removed. */
export interface AuditChanges {
  before: Readonly<Record<string, unknown>> | null;
  after: Readonly<Record<string, unknown>> | null;
}

/**
 * The actor, and the location whose audit records the change: a key by a request, or a person at the command line
 * (`operator`).
 */
export type AuditActor =
  | {
      kind: 'api_key';
      locationId: string;
      apiKeyId: string;
      requestId: string;
      clientAddress: string | undefined;
    }
  | { kind: 'command_line'; locationId: string };

/** A person at the command line, who has deleted the location. */
export interface AuditActorAtNone {
  kind: 'command_line';
  locationId: null;
}

/** The key behind a request as the one who acts. */
export function actorOf({ caller, requestId, clientAddress }: CallContext): AuditActor {
  return {
    kind: 'api_key',
    locationId: caller.locationId,
    apiKeyId: caller.apiKeyId,
    requestId,
    clientAddress,
  };
}

/**
 * Records, in the transaction of the change itself, the key, the change and the request. Only fields that differ
 * are kept; nothing is written when none does. Contract, section 8: every internal procedure.
 */
export function audit(
  tx: Transaction,
  ctx: CallContext,
  operation: string,
  resourceId: string | null,
  changes: AuditChanges,
): void {
  auditAs(tx, actorOf(ctx), operation, resourceId, changes);
}

/** The same for what the command line does, too. */
export function auditAs(
  tx: Transaction,
  actor: AuditActor | AuditActorAtNone,
  operation: string,
  resourceId: string | null,
  changes: AuditChanges,
): void {
  const differing = difference(changes);
  if (differing === undefined) return;
  const byKey = actor.kind === 'api_key';
  const values = [
    actor.locationId,
    newId(),
    actor.kind,
    byKey ? actor.apiKeyId : null,
    byKey ? actor.requestId : null,
    byKey ? (actor.clientAddress ?? null) : null,
    byKey ? null : (operator.getStore() ?? null),
    operation,
    resourceId,
    JSON.stringify(differing),
  ];
  tx.send(insertEntry, values);
}

const insertEntry: Statement<never> = statement(
  'insert_audit_entry',
  `insert into audit_entries (location_id, id, actor_kind, api_key_id, request_id, client_address, application_name, operation, resource_id, changes)
   values ($1::uuid, $2::uuid, $3, $4::uuid, $5, $6, $7, $8, $9::uuid, $10::jsonb)`,
);

function difference({ before, after }: AuditChanges): AuditChanges | undefined {
  if (before === null || after === null) return { before, after };
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  if (names.length === 0) return undefined;
  const only = (fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(names.map((name) => [name, fields[name]]));
  return { before: only(before), after: only(after) };
}
