import type {
  Location,
  LocationCounter,
  LocationMove,
  MovedLocation,
  TimeZone,
} from '../generated/prisma/client.ts';
import { plain, table } from './table.ts';

export const locations = table<Location>()('locations', {
  columns: {
    ...plain('id code sandbox created_at updated_at revision'),
    name: { edited: true, length: [1, 255] },
    timezone: { edited: true },
    currency: { edited: true },
    status: { edited: true },
    paused: { edited: true },
    paused_until: { edited: true },
    opening_hours: { edited: true },
    pause_reason: { edited: true, length: [0, 500] },
  },
  people: 'keep',
  editEvents: { publish: ['location.updated'], except: ['status'] },
  versioned: 'edited',
  belongs: null,
  guards: [
    {
      kept: "this location has orders, so it is kept: revoke its keys (comanda keys revoke). To remove it with all that it has: select deed('purge: <why>') in the transaction",
      when: 'has_orders(OLD.id)',
    },
    {
      never: ['id'],
      whateverDeed: true,
      sentence: 'the id of a location never changes: make another one (comanda locations create)',
    },
    {
      never: ['code'],
      whateverDeed: true,
      sentence: 'the code of a location never changes: its keys carry it',
    },
    {
      never: ['sandbox'],
      whateverDeed: true,
      sentence:
        'whether a location is a sandbox never changes: make another one (comanda locations create --sandbox)',
    },
    {
      never: ['status'],
      when: "OLD.status = 'deleting' OR NEW.status = 'deleting' AND NOT by_service() OR held_by_move(OLD.id, NEW.status)",
      sentence:
        'a location that is being deleted, or moves to another cell, keeps its status, and no edit begins either: see comanda locations delete, and comanda locations move',
    },
    {
      never: ['currency'],
      when: 'NEW.currency IS NOT NULL AND has_amounts(OLD.id)',
      sentence:
        'the currency of a location with orders or settlements never changes, because their amounts would be of another one: make another location (comanda locations create)',
    },
    { never: ['created_at'], sentence: 'the creation of a location never changes' },
  ],
});

export const locationMoves = table<LocationMove>()('location_moves', {
  schema: 'internal',
  columns: plain('id cell folder step exported_at refused_at seconds created_at step_at'),
  people: 'none',
  // It stays behind when the location is exported, and goes with the location's row.
  belongs: null,
  guards: [
    {
      serviceOnly: 'all',
      sentence: 'a move to another cell is noted by the command that makes it: comanda locations move',
    },
  ],
});

export const movedLocations = table<MovedLocation>()('moved_locations', {
  schema: 'internal',
  key: ['code'],
  columns: plain('code location_id cell moved_at'),
  people: 'none',
  // It says that a location left, so it stays behind.
  belongs: null,
  guards: [
    {
      serviceOnly: 'all',
      sentence: 'where a location went is noted by the command that moves it: comanda locations move',
    },
  ],
});

export const timeZones = table<TimeZone>()('time_zones', {
  schema: 'internal',
  key: ['name'],
  columns: plain('name'),
  people: 'none',
  service: ['select'],
  belongs: null,
  serviceOnly: 'npm start fills the time zones: those that PostgreSQL and Node both know',
});

export const locationCounters = table<LocationCounter>()('location_counters', {
  schema: 'internal',
  key: ['name'],
  columns: plain('location_id name value'),
  people: 'none',
  service: ['select', 'insert', 'update'],
  belongs: { sandbox: { kept: 'no number comes twice' }, derived: true },
  serviceOnly: 'numbers count up by themselves, without gaps',
});
