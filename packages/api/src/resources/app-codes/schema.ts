import { z } from 'zod';
import { list } from '../../lists.ts';
import type { Grant } from '../../permissions.ts';
import { Name } from '../../texts.ts';
import { Id, Timestamp } from '../../wire.ts';

/** Each screen of the app, with what its key must be allowed. */
export const screens = {
  board: [
    'orders:read',
    'orders:write',
    'orders:pause',
    'products:read',
    'stock:read',
    'stock:sync',
    'locations:read',
    'events:read',
  ],
  // Orders, payments and products for their events alone: by these its figures follow what is sold and collected.
  day: [
    'reports:read',
    'stock:read',
    'turns:read',
    'turns:write',
    'orders:read',
    'payments:read',
    'products:read',
    'events:read',
  ],
  // It makes keys for every use, and no key grants more than it has.
  desk: ['*'],
} as const satisfies Record<string, readonly Grant[]>;

/** A screen of the app. */
export type Screen = keyof typeof screens;

/** Every screen. */
export const screenNames = Object.keys(screens) as [Screen, ...Screen[]];

/** The input that makes a code. */
export const CodeCreate = z.object({
  name: Name.refine((name) => name.length <= 100, { error: 'must have at most 100 characters' }).default(
    'app user',
  ),
  screens: list(z.enum(screenNames, { error: `must be some of ${screenNames.join(', ')}` }), 20)
    .min(1, 'must name at least one screen')
    .default(['board', 'day']),
  location_id: Id.optional(),
  hours: z.int().min(1, 'must be 1 to 720').max(720, 'must be 1 to 720').default(24),
});
export type CodeCreate = z.input<typeof CodeCreate>;

/** The key in exchange for a code. */
export const CodeRedeem = z.object({ code: z.string() }).meta({ id: 'CodeRedeem' });

/** The person signed in: a key of their own, its permissions, and its location. */
export const SignedIn = z
  .object({
    key: z.string(),
    expires_at: Timestamp,
    name: z.string(),
    screens: z.array(z.enum(screenNames)),
    location: z.object({ id: Id, name: z.string(), timezone: z.string(), currency: z.string() }),
  })
  .meta({ id: 'SignedIn' });
export type SignedIn = z.infer<typeof SignedIn>;

/** The key of a session that ends. */
export const SignOut = z.object({ key: z.string() }).meta({ id: 'SignOut' });

/** The session has ended. */
export const SignedOut = z.object({ signed_out: z.literal(true) }).meta({ id: 'SignedOut' });
export type SignedOut = z.infer<typeof SignedOut>;
