import type { AuditEntry } from '../generated/prisma/client.ts';
import { plain, table, words } from './table.ts';

const person = { what: 'a member of your staff who edited', until: 'KEEP_AUDIT_DAYS' } as const;

export const auditEntries = table<AuditEntry>()('audit_entries', {
  columns: {
    ...plain(
      'location_id id actor_kind api_key_id request_id operation relation resource_id resource_ids row_count',
      'deed caused_by undo_of created_at',
    ),
    actor_name: { personal: person },
    application_name: { personal: person },
    client_address: { personal: { what: 'from where a request came', until: 'KEEP_AUDIT_DAYS' } },
    changes: {
      personal: {
        what: 'orders before and after an edit by hand',
        erasedTo: 'copies',
        until: 'KEEP_AUDIT_DAYS',
      },
    },
  },
  people: 'read',
  service: ['select', 'insert'],
  belongs: {
    readBy: 'created_at desc, id desc',
    sandbox: { kept: 'the audit says that it was reset' },
  },
  serviceOnly: 'the audit is written by the service alone',
  guards: [
    {
      never: words(
        'location_id id actor_kind api_key_id actor_name application_name request_id',
        'client_address operation relation resource_id resource_ids row_count changes deed caused_by',
        'undo_of created_at',
      ),
      sentence: 'the audit never changes',
    },
    { kept: 'the audit is kept for KEEP_AUDIT_DAYS' },
  ],
});
