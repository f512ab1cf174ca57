import { editUrl } from '../settings/forms.mjs';

/** How a session is opened under a name. */
export interface NamedSession {
  connectionString: string;
  /** Shown in pg_stat_activity. */
  application_name: string;
}

/**
 * Opens sessions under `name`, which begins with `comanda`: the guards of the database know the service by it
 * (`by_service` in prisma/sql/guarding.sql). A name in the URL is kept behind it; alone, it would win.
 */
export function sessionNamed(url: string, name: string): NamedSession {
  if (!url.includes('application_name=')) return { connectionString: url, application_name: name };
  let given = '';
  const connectionString = editUrl(url, ({ searchParams }) => {
    given = searchParams.get('application_name') ?? '';
    searchParams.delete('application_name');
  });
  return {
    connectionString,
    application_name: given.startsWith('comanda') ? given : `${name} ${given}`.trim(),
  };
}
