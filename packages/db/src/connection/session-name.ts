import { editUrl } from '../settings/forms.mjs';
import { startupOptions } from './session-settings.ts';

/** How a session is opened under a name. */
export interface NamedSession {
  connectionString: string;
  /** Shown in pg_stat_activity. */
  application_name: string;
  /** The settings that reading and writing of values depends on (session-settings.ts). */
  options: string;
}

/**
 * Opens sessions under `name`, which begins with `comanda`: the guards of the database know the service by it
 * (`by_service` in prisma/sql/guarding.sql). A name in the URL is kept behind it; alone, it would win. So would startup options
 * of the URL, which go before the service's.
 */
export function sessionNamed(url: string, name: string): NamedSession {
  if (!/\b(application_name|options)=/.test(url))
    return { connectionString: url, application_name: name, options: startupOptions() };
  let given = '';
  let options: string | undefined;
  const connectionString = editUrl(url, ({ searchParams }) => {
    given = searchParams.get('application_name') ?? '';
    options = searchParams.get('options') ?? undefined;
    searchParams.delete('application_name');
    searchParams.delete('options');
  });
  return {
    connectionString,
    application_name: given.startsWith('comanda') ? given : `${name} ${given}`.trim(),
    options: startupOptions(options),
  };
}
