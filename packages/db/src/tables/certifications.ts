import type { Certification, CertificationCall } from '../generated/prisma/client.ts';
import { everything, table } from './table.ts';

export const certifications = table<Certification>()('certifications', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    status: {},
    does: {},
    checks: {},
    waiting_for: {},
    verdict: {},
    faults: {},
    fault_operations: {},
    held_endpoint_id: {},
    alive_at: {},
    created_at: {},
    started_at: {},
    completed_at: {},
  },
  access: { service: everything, people: 'read' },
  belongs: { to: 'location', sandbox: { kept: 'its report is of the integration, not of the data' } },
  guards: [
    {
      serviceOnly: 'all',
      sentence: "certifications are the service's: start one by POST /v2/certifications",
    },
  ],
});

export const certificationCalls = table<CertificationCall>()('certification_calls', {
  schema: 'internal',
  key: ['certification_id', 'number'],
  columns: {
    location_id: {},
    certification_id: {},
    number: { sequence: 'internal.certification_calls_number_seq' },
    operation: {},
    request: {},
    idempotency_key: {},
    request_id: {},
    fault: {},
    status: {},
    replayed: {},
    began_at: {},
    ended_at: {},
  },
  access: { service: everything, people: 'none' },
  belongs: { partOf: 'certifications' },
  guards: [{ serviceOnly: 'all', sentence: 'what a certification saw is noted by the service alone' }],
});
