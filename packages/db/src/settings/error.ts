/** A setting that cannot be used; `message` is one line that names the variable. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/**
 * Exit code of a process whose settings cannot work (sysexits EX_CONFIG). A supervisor does not start it again.
 */
export const configurationExitCode = 78;
