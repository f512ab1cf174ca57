import leven from 'leven';
import { editUrl, fileVariable, readFiles, secrets } from './forms.mjs';
import { readSettings, type SettingRow, settingsTable } from './settings.ts';

/** The variables of an environment. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A setting as it holds. */
export interface SettingInForce {
  variable: string;
  /** Its text; of a secret what may be shown; null when it is unset and has no default. */
  value: string | null;
  from: 'environment' | 'file' | 'default';
}

/** A variable that nothing reads, and the one that was probably meant. */
export interface StrangeVariable {
  variable: string;
  meant: string;
}

/**
 * Every setting as it holds in an environment, secrets redacted.
 * @throws {SettingsError} as `readSettings`.
 */
export function settingsInForce(environment: Environment): SettingInForce[] {
  readSettings(environment);
  const { given } = readFiles(environment);
  return Object.values<SettingRow<unknown>>(settingsTable).map(({ variable, fallback }) => {
    const text = given[variable]?.trim() ?? '';
    if (text === '') return { variable, value: fallback ?? null, from: 'default' };
    const from = environment[variable]?.trim() ? 'environment' : 'file';
    return { variable, value: secrets.includes(variable) ? redacted(text) : text, from };
  });
}

/** A connection string without its password; of any other secret that it is set. */
function redacted(text: string): string {
  if (!text.startsWith('postgres')) return '(set)';
  return editUrl(text, (url) => {
    if (url.password !== '') url.password = '***';
    for (const name of url.searchParams.keys()) if (/password/i.test(name)) url.searchParams.set(name, '***');
  });
}

/**
 * Variables that are one letter away from a known one. Kubernetes sets some for every service of a namespace
 * (`<NAME>_SERVICE_…`, `<NAME>_PORT…`): those are never meant.
 */
export function strangeVariables(environment: Environment): StrangeVariable[] {
  const known = Object.values<SettingRow<unknown>>(settingsTable).flatMap(({ variable }) =>
    secrets.includes(variable) ? [variable, fileVariable(variable)] : [variable],
  );
  return Object.keys(environment)
    .filter((variable) => !known.includes(variable) && !/_SERVICE_|_PORT/.test(variable))
    .flatMap((variable) => {
      const meant = known.find((name) => leven(name, variable) === 1);
      return meant === undefined ? [] : { variable, meant };
    })
    .sort((one, other) => one.variable.localeCompare(other.variable));
}

/** The message about such a variable. */
export const strangeVariable = ({ variable, meant }: StrangeVariable): string =>
  `${variable} is no setting and does nothing; is ${meant} meant?`;
