import type { AuditEntry } from '../generated/prisma/client.ts';
import { table } from './table.ts';

const person = { what: 'a person of yours who edited', until: 'KEEP_AUDIT_DAYS' } as const;

export const auditEntries = table<AuditEntry>()('audit_entries', {
  key: ['id'],
  columns: {
    location_id: {},
    id: {},
    actor_kind: {},
    api_key_id: {},
    actor_name: { personal: person },
    application_name: { personal: person },
    request_id: {},
    client_address: { personal: { what: 'from where a request came', until: 'KEEP_AUDIT_DAYS' } },
    operation: {},
    relation: {},
    resource_id: {},
    row_count: {},
    changes: {
      personal: {
        what: 'orders before and after an edit by hand',
        ...{ erasedTo: 'copies', until: 'KEEP_AUDIT_DAYS' },
      },
    },
    deed: {},
    caused_by: {},
    undo_of: {},
    created_at: {},
  },
  access: { service: ['select', 'insert'], people: 'read' },
  belongs: {
    to: 'location',
    readBy: 'created_at desc, id desc',
    sandbox: { kept: 'the audit says that it was reset' },
  },
  guards: [
    { serviceOnly: 'all', sentence: 'the audit is written by the service alone' },
    {
      never: [
        ...(['location_id', 'id', 'actor_kind', 'api_key_id', 'actor_name', 'application_name'] as const),
        ...(['request_id', 'client_address', 'operation', 'relation', 'resource_id', 'row_count'] as const),
        ...(['changes', 'deed', 'caused_by', 'undo_of', 'created_at'] as const),
      ],
      sentence: 'the audit never changes',
    },
    { kept: 'the audit is kept for KEEP_AUDIT_DAYS' },
  ],
});
