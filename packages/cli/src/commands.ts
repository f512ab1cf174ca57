import type { Commands } from './command.ts';

const location = { value: 'ID', help: 'the location, where there are several and no id says which' };

const limitOptions = {
  'per-minute': { value: 'N', help: 'requests a minute (600)' },
  monthly: { value: 'N', help: 'requests a calendar month (1000000)' },
  'batch-jobs-per-hour': { value: 'N', help: 'batch jobs an hour (30)' },
  'max-items-per-batch': { value: 'N', help: 'items in one batch (500)' },
};

/** The commands of every installation; extras/operator adds its own. */
export const commands = {
  'keys create': {
    summary: 'Make an API key; its text is shown once',
    options: {
      name: { value: 'NAME', help: 'what it is for', required: true },
      permissions: {
        value: 'LIST',
        help: 'permissions, comma-separated; also resource:* and *',
        required: true,
      },
      location: { value: 'ID', help: 'the location it belongs to (the oldest)' },
      ...limitOptions,
      'expires-at': { value: 'TIME', help: 'ISO 8601 time after which it is refused' },
    },
    audited: true,
    work: async () => (await import('./keys.ts')).createKey,
  },
  'keys list': {
    summary: 'List API keys',
    options: { location: { value: 'ID', help: 'only those of this location' } },
    work: async () => (await import('./keys.ts')).listKeys,
  },
  'keys show': {
    summary: 'Show an API key: what it may do, its limits, when it was used',
    positionals: ['ID'],
    options: {},
    work: async () => (await import('./keys.ts')).showKey,
  },
  'keys update': {
    summary: 'Change an API key; what is not given stays as it is',
    positionals: ['ID'],
    options: {
      name: { value: 'NAME', help: 'what it is for' },
      permissions: { value: 'LIST', help: 'all of its permissions, comma-separated' },
      'event-types': {
        value: 'by_permission',
        help: 'it no longer sees every type of event, but those of its permissions; for good',
      },
      ...limitOptions,
      'expires-at': { value: 'TIME', help: 'ISO 8601 time after which it is refused, or never' },
    },
    audited: true,
    work: async () => (await import('./keys.ts')).updateKey,
  },
  'keys rotate': {
    summary: 'Make a key that may do what this one may, and let this one run out; its text is shown once',
    positionals: ['ID'],
    options: { 'grace-hours': { value: 'N', help: 'for how long this one still works (24)' } },
    audited: true,
    work: async () => (await import('./keys.ts')).rotateKey,
  },
  'keys revoke': {
    summary: 'Revoke an API key for good',
    positionals: ['ID'],
    options: {},
    audited: true,
    work: async () => (await import('./keys.ts')).revokeKey,
  },
  'app code': {
    summary: 'Make a link that signs a person in to the app, once, within 10 minutes',
    options: {
      location: { value: 'ID', help: 'the location it is for (the oldest)' },
      name: { value: 'NAME', help: 'name of the user; the key is named after them (app user)' },
      screens: {
        value: 'LIST',
        help: 'what they may open, comma-separated: board, day, desk; unset board,day',
      },
      hours: { value: 'N', help: 'for how long they stay signed in, at most 720 (24)' },
    },
    audited: true,
    work: async () => (await import('./app.ts')).createCode,
  },
  'locations create': {
    summary: 'Make a location, with cash as its payment method',
    options: {
      name: { value: 'NAME', help: 'its name', required: true },
      timezone: { value: 'ZONE', help: 'IANA time zone (UTC)' },
      currency: { value: 'CODE', help: 'ISO 4217 code (USD)' },
      sandbox: { help: 'to try things at: its keys are test keys, and it can be reset' },
    },
    audited: true,
    work: async () => (await import('./locations.ts')).createLocation,
  },
  'locations list': {
    summary: 'List locations',
    options: {},
    work: async () => (await import('./locations.ts')).listLocations,
  },
  'locations show': {
    summary: 'Show a location',
    positionals: ['ID'],
    options: {},
    work: async () => (await import('./locations.ts')).showLocation,
  },
  'locations update': {
    summary: 'Change a location',
    positionals: ['ID'],
    options: {
      name: { value: 'NAME', help: 'its name' },
      timezone: { value: 'ZONE', help: 'IANA time zone' },
      currency: { value: 'CODE', help: 'ISO 4217 code; amounts keep their numbers' },
    },
    audited: true,
    work: async () => (await import('./locations.ts')).updateLocation,
  },
  'locations disable': {
    summary: 'Refuse the keys of a location; webhooks and jobs of it wait',
    positionals: ['ID'],
    options: { reads: { help: 'go on answering reads; writes are refused for a while' } },
    audited: true,
    work: async () => (await import('./locations.ts')).disableLocation,
  },
  'locations enable': {
    summary: 'Take a location up again where it was disabled',
    positionals: ['ID'],
    options: {},
    audited: true,
    work: async () => (await import('./locations.ts')).enableLocation,
  },
  'locations export': {
    summary: 'Write all that a location has, at one moment, as JSON lines and a manifest with checksums',
    positionals: ['ID'],
    options: { to: { value: 'FOLDER', help: 'a folder that is new or empty', required: true } },
    work: async () => (await import('./locations.ts')).exportLocation,
  },
  'locations import': {
    summary: 'Bring an exported location into this database, all of it or nothing; disabled until enabled',
    positionals: ['FOLDER'],
    options: {},
    audited: true,
    work: async () => (await import('./locations.ts')).importLocation,
  },
  'locations delete': {
    summary: 'Delete a disabled location with all that it has, in batches; safe to cut off and to repeat',
    positionals: ['ID'],
    options: { confirm: { value: 'NAME', help: 'its name', required: true } },
    audited: true,
    work: async () => (await import('./locations.ts')).deleteLocation,
  },
  erase: {
    summary: 'Erase what a person left in an order, and every copy of it; number, states and money stay',
    options: { order: { value: 'ID', help: 'the order', required: true } },
    audited: true,
    work: async () => (await import('./erase.ts')).erase,
  },
  'menus copy': {
    summary:
      'Copy the menu of a location to another one: categories, products, options, menus; deletes nothing',
    options: {
      from: { value: 'ID', help: 'the location that is read', required: true },
      to: { value: 'ID', help: 'the location that is written', required: true },
      'dry-run': { help: 'only show the difference' },
      seen: { value: 'TEXT', help: 'of the dry run: fail if the difference is another one now' },
    },
    audited: true,
    work: async () => (await import('./menus.ts')).copyMenu,
  },
  'orders show': {
    summary: 'Show everything about an order: lines, payment, turn, what happened, deliveries',
    positionals: ['ORDER'],
    options: { location },
    work: async () => (await import('./orders.ts')).showOrder,
  },
  'webhooks list': {
    summary: 'List webhook endpoints, and how they do',
    options: { location },
    work: async () => (await import('./webhooks.ts')).listEndpoints,
  },
  'webhooks rotate': {
    summary: 'Give an endpoint a new signing secret, shown once; the old one signs as well for 24 hours',
    positionals: ['ID'],
    options: {
      'expire-previous': { help: 'previous secrets sign nothing from now on, as when one leaked' },
      location,
    },
    audited: true,
    work: async () => (await import('./webhooks.ts')).rotateSecret,
  },
  'webhooks replay': {
    summary: 'Send events to an endpoint again, at most 10,000',
    positionals: ['ID'],
    options: {
      since: { value: 'TIME', help: 'events of this ISO 8601 time and later', required: true },
      until: { value: 'TIME', help: 'and not after this one (now)' },
      only: { value: 'WHICH', help: 'failed: what did not arrive; all (failed)' },
      'event-types': { value: 'LIST', help: 'only these, comma-separated' },
      location,
    },
    audited: true,
    work: async () => (await import('./webhooks.ts')).replayEvents,
  },
  'deliveries list': {
    summary: 'List attempts to deliver, newest first',
    options: {
      endpoint: { value: 'ID', help: 'only to this endpoint' },
      status: { value: 'STATUS', help: 'only delivered, failed or dead ones' },
      'event-type': { value: 'TYPE', help: 'only of this event type' },
      limit: { value: 'N', help: 'how many, at most 200 (50)' },
      location,
    },
    work: async () => (await import('./webhooks.ts')).listAttempts,
  },
  'deliveries retry': {
    summary: 'Send the event of a delivery, or of an attempt, to its endpoint again',
    positionals: ['ID'],
    options: { location },
    audited: true,
    work: async () => (await import('./webhooks.ts')).retryDelivery,
  },
  'jobs list': {
    summary: 'List sync jobs, newest first',
    options: {
      status: { value: 'STATUS', help: 'of those only queued, processing, completed or failed ones' },
      limit: { value: 'N', help: 'how many, at most 200 (50)' },
      location,
    },
    work: async () => (await import('./jobs.ts')).listJobs,
  },
  'jobs retry': {
    summary: 'Run a failed sync job again: behind what was applied, or from the start when nothing could be',
    positionals: ['ID'],
    options: { location },
    audited: true,
    work: async () => (await import('./jobs.ts')).retryJob,
  },
  'secrets rotate-key': {
    summary: 'Seal every signing secret with the first key of ENCRYPTION_KEY; safe to cut off and to repeat',
    options: {},
    audited: true,
    work: async () => (await import('./secrets.ts')).rotateEncryptionKey,
  },
  audit: {
    summary:
      'Show who changed what by procedures, this command line and by hand, newest first; programs with --id, --by or --table',
    options: {
      location: { value: 'ID', help: 'only what concerns this location' },
      since: { value: 'TIME', help: 'only from this ISO 8601 time or day (UTC) on' },
      table: { value: 'NAME', help: 'only what was changed in this table' },
      by: { value: 'WHO', help: 'only by this role, application or key' },
      id: {
        value: 'ID',
        help: 'only this entry, or the history of this row: a product, a category, an option',
      },
      limit: { value: 'N', help: 'how many entries, at most 1000 (50)' },
    },
    work: async () => (await import('./audit.ts')).listAudit,
  },
  'audit undo': {
    summary: 'Undo what was changed by hand: write the values before again, through the same guards',
    positionals: ['ENTRY'],
    options: {
      'dry-run': { help: 'only show what it would do' },
      deed: { value: 'TEXT', help: "what to say to pass a guard: 'repair: why'" },
    },
    audited: true,
    work: async () => (await import('./audit.ts')).undoAudit,
  },
  migrate: {
    summary: 'Bring the database to this version, the queue included, as its owner; safe to repeat',
    options: {
      status: { help: 'only say whether there is anything to do; exit code 1 when there is' },
      'dry-run': { help: 'the same, with the SQL of each migration' },
    },
    work: async () => (await import('./migrate.ts')).migration,
  },
  restored: {
    summary:
      'After a restore: move the numbers of orders and events on, so that none is given twice; audited',
    options: {
      ahead: { value: 'N', help: 'by how many: more than were given since the backup', required: true },
      location: { value: 'ID', help: 'only at this location' },
    },
    audited: true,
    work: async () => (await import('./restored.ts')).restored,
  },
  config: {
    summary: 'Print every setting as it holds, without secrets',
    options: { check: { help: 'exit code 1 for a variable that is one letter away from a setting' } },
    work: async () => (await import('./config.ts')).configuration,
  },
  doctor: {
    summary:
      'Report what is wrong and what to do about it; exit code 1 when something is, or cannot be checked',
    options: {
      repair: { help: 'first derive again what can be, and say what was done; audited' },
      'dry-run': { help: 'say what --repair would do, and do nothing' },
      location: { value: 'ID', help: 'only what must hold at this location' },
      deep: { help: 'look at every row of every location, however long it takes' },
    },
    audited: true,
    work: async () => (await import('./doctor/command.ts')).doctor,
  },
  'relay retry': {
    summary: 'Publish again the changes that were set aside because they could not be published',
    options: {},
    work: async () => (await import('./doctor/command.ts')).retryRelay,
  },
  'db url': {
    summary: 'Print the connection string of the running database, by default for a role that only reads',
    options: { role: { value: 'ROLE', help: 'reader, admin or owner (reader)' } },
    work: async () => (await import('./roles.ts')).showUrl,
  },
  'db roles': {
    summary: 'Print the SQL that makes the roles owner, service, admin and reader, or run it',
    options: { apply: { help: 'run it, as the role of DATABASE_URL, which may make roles; safe to repeat' } },
    work: async () => (await import('./roles.ts')).applyOrPrintRoles,
  },
  'db roles person': {
    summary: 'Make a login for one person, whose name the audit then knows; prints its connection string',
    positionals: ['NAME'],
    options: {
      role: { value: 'ROLE', help: 'admin or reader (admin)' },
      'new-password': { help: 'give a login that is there another password' },
      remove: { help: 'take the login away, and end its sessions' },
    },
    work: async () => (await import('./persons.ts')).person,
  },
} satisfies Commands;
