import type { DeletedRecord } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const deletedRecords = table<DeletedRecord>()('deleted_records', {
  schema: 'internal',
  key: ['resource', 'deleted_at', 'id'],
  columns: plain('location_id resource deleted_at id'),
  people: 'none',
  service: ['select', 'delete'],
  belongs: { sandbox: { kept: 'a cursor of a list goes on' } },
  serviceOnly: 'deletions are noted by themselves: delete the product or the category',
});
