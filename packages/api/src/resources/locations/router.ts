import { operation, router } from '../../call/operation.ts';
import { CodedLocation, Location, LocationCreate, LocationUpdate } from './schema.ts';
import * as locations from './service.ts';

/** Specification: v2, named only; contract: locations. */
export const locationsRouter = router({
  getCurrent: operation({
    permission: 'locations:read',
    summary: 'Read the location of the key',
    description: 'Its time zone decides which day a date filter means, and the offset of every timestamp.',
    rest: ['GET /v2/locations/current'],
    tag: 'locations',
    conditional: true,
  })
    .output(Location)
    .query(({ ctx }) => locations.getCurrent(ctx)),

  create: operation({
    permission: 'locations:write',
    summary: 'Create a location',
    description: 'With one enabled payment method, "Cash". Its keys are made at the command line.',
  })
    .input(LocationCreate)
    .output(CodedLocation)
    .mutation(({ ctx, input }) => locations.create(ctx, input)),

  update: operation({
    permission: 'locations:write',
    summary: 'Change the location of the key',
    description:
      'Changes only the fields that are present. The currency changes only before there are orders or settlements.',
    errors: ['resource_not_found', 'conflict'],
    tag: 'locations',
  })
    .input(LocationUpdate)
    .output(CodedLocation)
    .mutation(({ ctx, input }) => locations.update(ctx, input)),
});
