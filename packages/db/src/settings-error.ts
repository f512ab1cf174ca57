/** A setting that cannot be used; `message` is one line that names the variable. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}
