import type { Tally, TallyNote, WorkTotal } from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

const follow = 'counts follow the rows that they count: edit those';

export const tallies = table<Tally>()('tallies', {
  schema: 'internal',
  key: ['hours', 'starts_at', 'name'],
  columns: plain('location_id hours starts_at name n'),
  people: 'none',
  belongs: { sandbox: { kept: 'counts follow the rows' }, derived: true },
  serviceOnly: follow,
});

export const tallyNotes = table<TallyNote>()('tally_notes', {
  schema: 'internal',
  columns: {
    ...plain('location_id starts_at name n'),
    id: { sequence: 'internal.tally_notes_id_seq' },
  },
  people: 'none',
  belongs: { sandbox: { kept: 'counts follow the rows' }, derived: true },
  serviceOnly: follow,
});

export const workTotals = table<WorkTotal>()('work_totals', {
  schema: 'internal',
  key: ['name', 'shard'],
  columns: plain('name shard total'),
  people: 'none',
  service: ['select', 'insert', 'update'],
  belongs: null,
  serviceOnly: 'totals of work are counted by the service',
});
