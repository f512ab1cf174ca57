import { operation, router } from '../../call/operation.ts';
import {
  CodedLocation,
  Location,
  LocationCreate,
  LocationPause,
  LocationRead,
  LocationUpdate,
  LocationWithHours,
} from './schema.ts';
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
    .input(LocationRead)
    .output(LocationWithHours)
    .query(({ ctx, input }) => locations.getCurrent(ctx, input)),

  pause: operation({
    permission: 'orders:pause',
    summary: 'Pause the taking of orders',
    description:
      'Until `until`, or until it is resumed, creation of orders is refused with 409 `location_paused`. Pausing again sets another end and ' +
      'reason. Orders that exist go on, and so do imports and orders by hand.',
    rest: ['POST /v2/locations/current/pause'],
    answerExample: { paused: true, pause_reason: 'The oven is being repaired.' },
  })
    .input(LocationPause)
    .output(Location)
    .mutation(({ ctx, input }) => locations.pause(ctx, input)),

  resume: operation({
    permission: 'orders:pause',
    summary: 'Take orders again',
    description: 'Ends the pause of the location; there may be none.',
    rest: ['POST /v2/locations/current/resume'],
  })
    .output(Location)
    .mutation(({ ctx }) => locations.resume(ctx)),

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
