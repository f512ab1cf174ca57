import { operation, router } from '../../trpc.ts';
import { Location } from './schema.ts';
import * as locations from './service.ts';

/** Specification: v2, named only; contract: locations. */
export const locationsRouter = router({
  getCurrent: operation({
    permission: 'locations:read',
    summary: 'Read the location of the key',
    rest: ['GET /v2/locations/current'],
  })
    .output(Location)
    .query(({ ctx }) => locations.getCurrent(ctx)),
});
