// An entrance of its own: what only reads the settings loads no driver.
export {
  type SettingInForce,
  type StrangeVariable,
  settingsInForce,
  strangeVariable,
  strangeVariables,
} from './setting-report.ts';
export { settingWarnings } from './setting-warnings.ts';
export { readSettings } from './settings.ts';
