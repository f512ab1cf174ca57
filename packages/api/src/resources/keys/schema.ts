import { z } from 'zod';
import { list } from '../../lists.ts';
import { Grant } from '../../permissions.ts';
import { Name } from '../../texts.ts';
import { typedAs } from '../../typed-as.ts';
import { Id, page, paging, Timestamp, TimestampFilter } from '../../wire.ts';

const Count = z.int().min(1, 'must be at least 1').max(2_147_483_647);

const ofPerson = 'app: ';

/**
 * The name of the key of a person at the app: no other call gives such a name, so that the audit knows the person by
 * it.
 */
export const personsKey = (name: string): string => ofPerson + name;

export const isPersonsKey = (keyName: string): boolean => keyName.startsWith(ofPerson);

/** The name of a key: the person, else its purpose. */
export const calledAfter = (keyName: string): string =>
  isPersonsKey(keyName) ? keyName.slice(ofPerson.length) : keyName;

/** The body that makes a key. Limits that are left out take the defaults. */
export const KeyCreate = z
  .object({
    name: Name.refine((name) => !isPersonsKey(name), {
      error: 'must not begin with "app: ": comanda app code makes the keys of persons',
    }).meta({ example: 'ERP' }),
    permissions: list(Grant, 200)
      .min(1, 'must name at least one permission')
      .meta({ description: 'Permissions, `resource:*` or `*`.', example: ['orders:*', 'products:read'] }),
    per_minute: Count.optional(),
    monthly: Count.optional(),
    batch_jobs_per_hour: Count.optional(),
    max_items_per_batch: Count.optional(),
    expires_at: TimestampFilter.optional().meta({ example: '2030-01-01T00:00:00Z' }),
  })
  .meta({ id: 'KeyCreate' });
export type KeyCreate = z.infer<typeof KeyCreate>;

/** The same from outside any location: the command line, the seed. */
export const KeyCreateAt = z.object({
  ...KeyCreate.shape,
  location_id: Id.optional().meta({ description: 'The oldest location unless said.' }),
});
export type KeyCreateAt = z.infer<typeof KeyCreateAt>;

/** Which types of events a key sees: `all` is of keys that were made before types had permissions, and is never given again. */
const EventTypesSeen = z.enum(['by_permission', 'all']);

/** The body that changes a key; without an end it is good until it is revoked. */
export const KeyUpdate = z.object({
  ...KeyCreate.partial().shape,
  expires_at: TimestampFilter.nullable().optional(),
  event_types: EventTypesSeen.extract(['by_permission'], {
    error: 'must be by_permission: no key is made to see every type',
  }).optional(),
});
export type KeyUpdate = z.infer<typeof KeyUpdate>;

/** For how long the old key works in addition to the new one. */
export const GraceHours = z
  .int('must be a whole number of hours')
  .min(0, 'must be 0 to 8760')
  .max(8_760, 'must be 0 to 8760')
  .default(24);

/** A key without its text. */
export const Key = z
  .object({
    id: Id,
    location_id: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The first characters, to recognize it by.' }),
    // As stored: a key can have been made by a newer release.
    permissions: z.array(typedAs(z.string(), Grant)),
    event_types: EventTypesSeen.meta({
      description:
        'The types of events that it sees: `by_permission`, those whose permission it has; `all`, every type, as keys did that were made before types had permissions.',
      example: 'by_permission',
    }),
    per_minute: z.int(),
    monthly: z.int(),
    batch_jobs_per_hour: z.int(),
    max_items_per_batch: z.int(),
    created_at: Timestamp,
    expires_at: Timestamp.optional(),
    revoked_at: Timestamp.optional(),
    last_used_at: Timestamp.optional(),
  })
  .meta({ id: 'Key' });
export type Key = z.infer<typeof Key>;

/** The limits of a key, and its expiry. Contract, section 4. */
export type KeyLimits = Pick<Key, 'per_minute' | 'monthly' | 'batch_jobs_per_hour' | 'max_items_per_batch'>;

/** A new key with its text, which is shown once. */
export const KeyWithText = Key.extend({ key: z.string() }).meta({ id: 'KeyWithText' });
export type KeyWithText = z.infer<typeof KeyWithText>;

/** A new key in place of another, and until when that one works. */
export const KeyRotated = KeyWithText.extend({
  old: z
    .object({ id: Id, expires_at: Timestamp })
    .meta({ description: 'The key that is replaced, and when it ends.' }),
}).meta({ id: 'KeyRotated' });
export type KeyRotated = z.infer<typeof KeyRotated>;

/** The limits of a key after a change: some of those it has. A limit that is not given stays. */
export const KeyNarrow = z
  .object({
    id: Id,
    permissions: KeyUpdate.shape.permissions.meta({
      description: 'All that it may do from now on, each covered by what it may do now.',
      example: ['orders:read'],
    }),
    event_types: KeyUpdate.shape.event_types.meta({
      description: 'It no longer sees every type of event, but those of its permissions; for good.',
    }),
  })
  .refine(({ permissions, event_types }) => permissions !== undefined || event_types !== undefined, {
    error: 'must have permissions or event_types',
  })
  .meta({ id: 'KeyNarrow', example: { permissions: ['orders:read'] } });
export type KeyNarrow = z.infer<typeof KeyNarrow>;

/** Which key is replaced, and for how long it works in addition to the new one. */
export const KeyRotate = z
  .object({
    id: Id,
    grace_hours: GraceHours.meta({
      description: 'For how many hours the old key works in addition to the new one; 0 ends it at once.',
    }),
    expires_at: KeyCreate.shape.expires_at.meta({
      description: 'When the new key ends; unless given, with the old one or with the key that makes it.',
      example: '2030-01-01T00:00:00Z',
    }),
  })
  .meta({ id: 'KeyRotate' });
export type KeyRotate = z.infer<typeof KeyRotate>;

export const KeyList = z.object(paging);
export const KeyPage = page(Key);
