import { operation, router } from '../../call/operation.ts';
import { ById } from '../../wire.ts';
import { Key, KeyCreate, KeyList, KeyNarrow, KeyPage, KeyRotate, KeyRotated, KeyWithText } from './schema.ts';
import * as keys from './service.ts';

/** Contract: keys; typed client only. */
export const keysRouter = router({
  create: operation({
    permission: 'keys:write',
    summary: 'Create an API key',
    description:
      'Its text is shown once. It may do no more than the key that makes it, nor outlive that, except for keys that a person at the app makes with an end of at most 366 days ahead.',
  })
    .input(KeyCreate)
    .output(KeyWithText)
    .mutation(({ ctx, input }) => keys.create(ctx, input)),

  list: operation({
    permission: 'keys:read',
    summary: 'List API keys',
    description: 'Oldest first, revoked ones included; never their texts.',
  })
    .input(KeyList)
    .output(KeyPage)
    .query(({ ctx, input }) => keys.list(ctx, input)),

  get: operation({
    permission: 'keys:read',
    summary: 'Get an API key',
    description: 'Never its text.',
    errors: ['resource_not_found'],
  })
    .input(ById)
    .output(Key)
    .query(({ ctx, input }) => keys.get(ctx, input.id)),

  narrow: operation({
    permission: 'keys:write',
    summary: 'Take permissions from an API key',
    description:
      'Leaves it some of what it has, and never gives it more; every process obeys it within a second.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(KeyNarrow)
    .output(Key)
    .mutation(({ ctx, input }) => keys.narrow(ctx, input)),

  rotate: operation({
    permission: 'keys:write',
    summary: 'Make an API key in place of another',
    description:
      'The new one has the name, the permissions and the limits of the old one, which ends after the grace period. Its text is shown once. Its end is bounded as that of a new key.',
    errors: ['resource_not_found', 'conflict'],
  })
    .input(KeyRotate)
    .output(KeyRotated)
    .mutation(({ ctx, input }) => keys.rotate(ctx, input)),

  revoke: operation({
    permission: 'keys:write',
    summary: 'Revoke an API key',
    description: 'For good; refused everywhere within a second.',
    errors: ['resource_not_found'],
  })
    .input(ById)
    .output(Key)
    .mutation(({ ctx, input }) => keys.revoke(ctx, input.id)),
});
