import DefaultTheme from 'vitepress/theme-without-fonts';
import { searchOptions } from '../search/options.mjs';
import { rememberTabs } from './tabs.mjs';
import './site.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ siteData }) {
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
  },
  setup: rememberTabs,
};
