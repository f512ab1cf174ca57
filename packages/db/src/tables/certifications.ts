import type { Certification, CertificationCall } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const certifications = table<Certification>()('certifications', {
  columns: plain(
    'location_id id status role does checks waiting_for verdict faults fault_operations',
    'held_endpoint_id changed alive_at created_at started_at completed_at',
  ),
  people: 'read',
  belongs: { sandbox: { kept: 'its report is of the integration, not of the data' } },
  serviceOnly: "certifications are the service's: start one by POST /v2/certifications",
});

export const certificationCalls = table<CertificationCall>()('certification_calls', {
  schema: 'internal',
  key: ['certification_id', 'number'],
  columns: {
    ...plain(
      'location_id certification_id operation request idempotency_key request_id fault status',
      'replayed answered began_at ended_at',
    ),
    number: { sequence: 'internal.certification_calls_number_seq' },
  },
  people: 'none',
  belongs: { partOf: 'certifications' },
  serviceOnly: 'what a certification saw is noted by the service alone',
});
