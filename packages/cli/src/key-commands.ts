import type { Command } from './command.ts';

const limitOptions = {
  'per-minute': { value: 'N', help: 'requests a minute (600)' },
  monthly: { value: 'N', help: 'requests a calendar month (1000000)' },
  'batch-jobs-per-hour': { value: 'N', help: 'batch jobs an hour (30)' },
  'max-items-per-batch': { value: 'N', help: 'items in one batch (500)' },
};

/** The commands that are about API keys. */
export const keyCommands: Record<string, Command> = {
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
};
