import {
  readSettings,
  type SettingInForce,
  type StrangeVariable,
  settingsInForce,
  settingWarnings,
  strangeVariable,
  strangeVariables,
} from '@comanda/db/configuring';
import type { Work } from './command.ts';
import type { Lines } from './rows.ts';

/** The result of `comanda config`. */
interface Configuration {
  settings: SettingInForce[];
  /** Variables that nothing reads and that look like a setting. */
  strange: StrangeVariable[];
  /** Settings that are allowed, and do harm or nothing where they are set. */
  warnings: string[];
  /** Whether one of those is a failure. */
  checked: boolean;
}

/** `comanda config`: the settings as they hold. Throws SettingsError for one that is refused. */
export const configuration: Work = {
  runAlone: async (environment, { check }): Promise<Configuration> => ({
    settings: settingsInForce(environment),
    strange: strangeVariables(environment),
    warnings: settingWarnings(readSettings(environment)),
    checked: check !== undefined,
  }),
  show: configurationText,
  isFailure: (value) => {
    const { checked, strange } = value as Configuration;
    return checked && strange.length > 0;
  },
};

/** As a table of variable, value and where it comes from. */
function configurationText(value: unknown): Lines {
  const { settings, strange, warnings } = value as Configuration;
  const width = Math.max(...settings.map(({ variable }) => variable.length));
  return [
    ...settings.map(
      ({ variable, value, from }) =>
        `${variable.padEnd(width)}  ${value ?? '(unset)'}${from === 'default' ? '' : `  (${from})`}`,
    ),
    ...[...strange.map(strangeVariable), ...warnings].map((each) => `warning: ${each}`),
  ];
}
