import { operation, router } from '../../request/operation.ts';
import { Limits } from './schema.ts';
import * as limits from './service.ts';

/** What a key may do and has left. */
export const limitsRouter = router({
  get: operation({
    permission: null,
    summary: 'Read the limits of the key',
    description: 'What the key may do, and what it has left. It counts as a request itself.',
    rest: ['GET /v2/limits'],
  })
    .output(Limits)
    .query(({ ctx }) => limits.get(ctx)),
});
