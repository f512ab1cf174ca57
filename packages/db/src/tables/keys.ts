import type { ApiKey, AppCode, IdempotencyKey, LimitCounter } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const apiKeys = table<ApiKey>()('api_keys', {
  columns: {
    ...plain('location_id id prefix permissions all_event_types last_used_at created_at'),
    name: {
      edited: true,
      length: [1, 255],
      personal: { what: 'the purpose of a key, perhaps a name', until: "the key's name is changed" },
    },
    key_hash: { secret: true },
    per_minute: { edited: true },
    monthly: { edited: true },
    batch_jobs_per_hour: { edited: true },
    max_items_per_batch: { edited: true },
    expires_at: { edited: true },
    revoked_at: { edited: true },
  },
  people: 'keep',
  editEvents: { unpublished: 'no event has keys' },
  belongs: { sandbox: { kept: 'who resets it goes on with its key' }, updatedInCopy: true },
  guards: [
    {
      serviceOnly: 'insert',
      sentence:
        'a key is made by comanda keys create, which shows its text once and stores only a hash of it',
    },
    {
      never: ['id', 'location_id', 'prefix', 'key_hash', 'created_at'],
      sentence:
        'the id, the location and the text of a key never change: make another one (comanda keys create) and revoke this',
    },
    {
      never: ['name'],
      when: "starts_with(NEW.name, 'app: ') AND NOT by_service()",
      sentence:
        'a name of a key that begins with "app: " is that of a person: comanda app code makes such a key',
    },
    {
      never: ['permissions'],
      when: 'NOT by_service()',
      sentence:
        'the permissions of a key are changed by a command, with a name: comanda keys update <id> --permissions <all of them> --as <your name>',
    },
    {
      never: ['all_event_types'],
      when: 'NOT by_service() OR NOT OLD.all_event_types',
      sentence:
        'which event types a key sees is changed by a command, and only from all to those of its permissions: comanda keys update <id> --event-types by_permission --as <your name>',
    },
    {
      never: ['revoked_at'],
      when: 'OLD.revoked_at IS NOT NULL',
      sentence: 'a key is revoked for good: make another one (comanda keys create)',
    },
  ],
});

export const idempotencyKeys = table<IdempotencyKey>()('idempotency_keys', {
  schema: 'internal',
  key: ['api_key_id', 'operation', 'key'],
  columns: {
    ...plain(
      'location_id api_key_id operation key request_hash sealed encryption_key_id refusal',
      'created_at',
    ),
    response: {
      personal: {
        what: 'answers that hold orders',
        erasedTo: 'copies',
        until: 'IDEMPOTENCY_TTL_HOURS',
      },
    },
  },
  people: 'none',
  belongs: {
    sandbox: 'emptied last',
    // A repeat of the reset itself is answered as it was.
    emptiedWhen: "operation <> 'sandbox.reset'",
  },
  serviceOnly: 'without its idempotency key a request that is sent again would be done again',
});

export const limitCounters = table<LimitCounter>()('limit_counters', {
  schema: 'internal',
  key: ['api_key_id', 'window', 'window_start'],
  columns: plain('api_key_id window window_start used'),
  people: 'none',
  belongs: { to: 'key', sandbox: { kept: 'a reset lifts no limit' } },
  serviceOnly: 'what a key has used is counted by the service: change the limits of the key in api_keys',
});

export const appCodes = table<AppCode>()('app_codes', {
  schema: 'internal',
  key: ['code_hash'],
  columns: plain('code_hash location_id name screens key_hours created_at used_at'),
  people: 'none',
  belongs: { sandbox: { kept: 'a code signs in once, and no longer than ten minutes' } },
  serviceOnly: 'codes of the app are made by comanda app code',
});
