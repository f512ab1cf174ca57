import pg from 'pg';

/** Through which a person edits, and whether they may say a deed there. */
export interface SessionKind {
  name: string;
  deeds: boolean;
  /** Opens a session of this kind on the database. */
  open(databaseUrl: string): Promise<pg.Client>;
}

/** Each kind of session that the guards meet. */
export const sessionKinds: readonly SessionKind[] = [
  { name: 'owner', deeds: true, open: (url) => connect(url, 'psql') },
  { name: 'admin', deeds: false, open: (url) => connect(url, 'prisma-studio') },
];

async function connect(connectionString: string, application_name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name });
  await client.connect();
  return client;
}
