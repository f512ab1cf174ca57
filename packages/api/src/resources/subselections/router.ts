import { operation, router } from '../../request/operation.ts';
import { SubselectionList, SubselectionPage } from './schema.ts';
import * as subselections from './service.ts';

/** The choices of products one by one, for the typed client; a catalog sync sets them with their product. */
export const subselectionsRouter = router({
  list: operation({
    permission: 'products:read',
    summary: 'List subselections with their options',
    description:
      'By product, then position. `satisfiable: false` lists those that no order can satisfy with the options that they have.',
  })
    .input(SubselectionList)
    .output(SubselectionPage)
    .query(({ ctx, input }) => subselections.list(ctx, input)),
});
