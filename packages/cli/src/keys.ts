import { operator } from '@comanda/api/src/call/operator.ts';
import { CommandError } from '@comanda/api/src/command-error.ts';
import {
  GraceHours,
  KeyCreateAt,
  type KeyRotated,
  KeyUpdate,
} from '@comanda/api/src/resources/keys/schema.ts';
import * as keys from '@comanda/api/src/resources/keys/store.ts';
import { z } from 'zod';
import type { Options, Work } from './command.ts';
import { listOf, number, parse } from './input.ts';
import { table } from './rows.ts';

/** `comanda keys create` */
export const createKey: Work = {
  run: ({ database }, options) =>
    keys.issueKey(database, parse(KeyCreateAt, { ...fieldsOf(options), location_id: options.location })),
};

/** `comanda keys show` */
export const showKey: Work = { run: ({ database }, _options, [id = '']) => keys.readKey(database, id) };

/** `comanda keys update` */
export const updateKey: Work = {
  run: ({ database }, options, [id = '']) => {
    const { expires_at, ...fields } = fieldsOf(options);
    const changes = parse(KeyUpdate, {
      ...fields,
      expires_at: expires_at === 'never' ? null : expires_at,
      event_types: options['event-types'],
    });
    const isOfPermissions = changes.permissions !== undefined || changes.event_types !== undefined;
    if (isOfPermissions && operator.getStore() === undefined)
      throw new CommandError(
        'validation_error',
        '--as: must be your name: the audit keeps the author of each change of permissions',
      );
    return keys.updateKey(database, id, changes);
  },
};

/** `comanda keys rotate` */
export const rotateKey: Work = {
  run: ({ database }, { 'grace-hours': hours }, [id = '']) =>
    keys.rotateKey(
      database,
      id,
      parse(z.object({ grace_hours: GraceHours }), { grace_hours: number(hours) }).grace_hours,
    ),
  show: (value) => {
    const { old, ...made } = value as KeyRotated;
    return [...table(made), '', `the old key, ${old.id}, is refused from ${old.expires_at} on`];
  },
};

/** `comanda keys list` */
export const listKeys: Work = { run: ({ database }, { location }) => keys.listKeys(database, location) };

/** `comanda keys revoke` */
export const revokeKey: Work = { run: ({ database }, _options, [id = '']) => keys.revokeKey(database, id) };

const fieldsOf = (options: Options) => ({
  name: options.name,
  permissions: listOf(options.permissions),
  per_minute: number(options['per-minute']),
  monthly: number(options.monthly),
  batch_jobs_per_hour: number(options['batch-jobs-per-hour']),
  max_items_per_batch: number(options['max-items-per-batch']),
  expires_at: options['expires-at'],
});
