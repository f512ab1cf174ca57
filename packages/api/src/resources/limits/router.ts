import { operation, router } from '../../call/operation.ts';
import { Limits } from './schema.ts';
import * as limits from './service.ts';

/** The limits of a key and their use. */
export const limitsRouter = router({
  get: operation({
    permission: null,
    summary: 'Read the limits of the key',
    description: 'The limits of the key, and what is left of them. It counts as a request itself.',
    rest: ['GET /v2/limits'],
  })
    .output(Limits)
    .query(({ ctx }) => limits.get(ctx)),
});
