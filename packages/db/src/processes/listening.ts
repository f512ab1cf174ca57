import { SettingsError } from '../settings/error.ts';

/**
 * Why a process cannot listen on its address, as a fault of its settings; any other error as it is.
 * @param variable the setting of the port: `PORT`
 */
export function listenError(
  error: NodeJS.ErrnoException,
  { variable, host, port }: { variable: string; host: string; port: number },
): Error {
  const { code } = error;
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return new SettingsError(
      `${variable}: ${host}:${port} cannot be used (${code}); set ${variable} to a free port`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new SettingsError(
      `HOST: ${host} is no address of this machine (${code}); set HOST to one of its addresses, 127.0.0.1 or 0.0.0.0`,
    );
  return error;
}
