import type { Tally, TallyNote, WorkTotal } from '../generated/prisma/client.ts';
import { everything, type Guard, table } from './table.ts';

const follow: Guard = {
  serviceOnly: 'all',
  sentence: 'counts follow the rows that they count: edit those',
};

export const tallies = table<Tally>()('tallies', {
  schema: 'internal',
  key: ['hours', 'starts_at', 'name'],
  columns: { location_id: {}, hours: {}, starts_at: {}, name: {}, n: {} },
  access: { service: everything, people: 'none' },
  belongs: { to: 'location', sandbox: { kept: 'counts follow the rows' }, derived: true },
  guards: [follow],
});

export const tallyNotes = table<TallyNote>()('tally_notes', {
  schema: 'internal',
  key: ['id'],
  columns: {
    location_id: {},
    id: { sequence: 'internal.tally_notes_id_seq' },
    starts_at: {},
    name: {},
    n: {},
  },
  access: { service: everything, people: 'none' },
  belongs: { to: 'location', sandbox: { kept: 'counts follow the rows' }, derived: true },
  guards: [follow],
});

export const workTotals = table<WorkTotal>()('work_totals', {
  schema: 'internal',
  key: ['name', 'shard'],
  columns: { name: {}, shard: {}, total: {} },
  access: { service: ['select', 'insert', 'update'], people: 'none' },
  belongs: null,
  guards: [{ serviceOnly: 'all', sentence: 'totals of work are counted by the service' }],
});
