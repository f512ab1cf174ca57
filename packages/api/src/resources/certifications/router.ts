import { operation, router } from '../../call/operation.ts';
import {
  Certification,
  CertificationById,
  CertificationList,
  CertificationPage,
  CertificationStart,
} from './schema.ts';
import * as certifications from './service.ts';

/** Contract: certification. */
export const certificationsRouter = router({
  start: operation({
    permission: 'certifications:write',
    summary: 'Start a certification',
    description:
      'The service plays a day with your integration in its sandbox: it changes prices, plays faults upon your calls, sends events ' +
      'twice, and judges what arrives. It takes some minutes; read it to learn what it waits for. One at a time. Keys of live ' +
      'locations are refused. An unknown field is refused always: a mistyped one would start another run than was meant.',
    rest: ['POST /v2/certifications'],
    status: 202,
    strict: true,
    errors: ['conflict'],
  })
    .input(CertificationStart)
    .output(Certification)
    .mutation(({ ctx, input }) => certifications.start(ctx, input)),

  abort: operation({
    permission: 'certifications:write',
    summary: 'Abort a certification',
    description:
      'Ends a run at once. Every check that had not ended is `not_played`, the endpoint is active again if the run disabled it, and the ' +
      'price is changed back. A run that has ended is a `conflict`.',
    rest: ['POST /v2/certifications/{id}/abort'],
    errors: ['resource_not_found', 'conflict'],
  })
    .input(CertificationById)
    .output(Certification)
    .mutation(({ ctx, input }) => certifications.abort(ctx, input.id)),

  get: operation({
    permission: 'certifications:read',
    summary: 'Read a certification',
    description: 'The step it waits for, the calls it saw, and at the end the verdict. The report is kept.',
    rest: ['GET /v2/certifications/{id}'],
    errors: ['resource_not_found'],
  })
    .input(CertificationById)
    .output(Certification)
    .query(({ ctx, input }) => certifications.get(ctx, input.id)),

  list: operation({
    permission: 'certifications:read',
    summary: 'List certifications',
    description: 'Newest first.',
    rest: ['GET /v2/certifications'],
  })
    .input(CertificationList)
    .output(CertificationPage)
    .query(({ ctx, input }) => certifications.list(ctx, input)),
});
