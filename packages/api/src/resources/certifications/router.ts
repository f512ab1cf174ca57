import { operation, router } from '../../request/operation.ts';
import { ById } from '../../wire.ts';
import { Certification, CertificationList, CertificationPage, CertificationStart } from './schema.ts';
import * as certifications from './service.ts';

/** Contract: certification. */
export const certificationsRouter = router({
  start: operation({
    permission: 'certifications:write',
    summary: 'Start a certification',
    description:
      'The service plays a day with your integration in its sandbox: it changes prices, plays faults upon your calls, sends events ' +
      'twice, and judges what arrives. It takes some minutes; read it to learn what it waits for. One at a time. Keys of live ' +
      'locations are refused.',
    rest: ['POST /v2/certifications'],
    status: 202,
    errors: ['conflict'],
  })
    .input(CertificationStart)
    .output(Certification)
    .mutation(({ ctx, input }) => certifications.start(ctx, input)),

  get: operation({
    permission: 'certifications:read',
    summary: 'Read a certification',
    description: 'What it waits for now, what it saw, and at the end the verdict. The report is kept.',
    rest: ['GET /v2/certifications/{id}'],
    errors: ['resource_not_found'],
  })
    .input(ById)
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
