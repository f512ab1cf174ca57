import { operation, router } from '../../request/operation.ts';
import { ById } from '../../wire.ts';
import { Key, KeyCreate, KeyList, KeyPage, KeyWithText } from './schema.ts';
import * as keys from './service.ts';

/** Contract: keys; typed client only. */
export const keysRouter = router({
  create: operation({
    permission: 'keys:write',
    summary: 'Create an API key',
    description: 'Its text is shown once. It may do no more than the key that makes it.',
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
