// An entrance of its own: what only reads the settings loads no driver.
export { fileVariable, secrets } from './settings/forms.mjs';
export {
  type SettingInForce,
  type StrangeVariable,
  settingsInForce,
  strangeVariable,
  strangeVariables,
} from './settings/report.ts';
export { readSettings } from './settings/settings.ts';
export { settingWarnings } from './settings/warnings.ts';
