import type { Command } from './command.ts';

/** The commands that are about the database and who signs in to it. */
export const databaseCommands: Record<string, Command> = {
  'db url': {
    summary: 'Print the connection string of the running database, for who only reads unless said',
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
};
