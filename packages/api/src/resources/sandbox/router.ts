import { operation, router } from '../../call/operation.ts';
import { SandboxReset } from './schema.ts';
import * as sandbox from './service.ts';

/** Contract: sandbox. */
export const sandboxRouter = router({
  reset: operation({
    permission: 'sandbox:reset',
    summary: 'Reset the sandbox',
    description:
      'Removes all that the location has except its keys, its webhook endpoints and its published events, and makes the demo data ' +
      'again. Numbers go on, and the feed shows the reset as what it is: deletions and creations. When no answer comes, or 503, ' +
      'send it again: it goes on where it was. Keys of live locations are refused.',
    rest: ['POST /v2/sandbox/reset'],
  })
    .output(SandboxReset)
    .mutation(({ ctx }) => sandbox.reset(ctx)),
});
