import DefaultTheme from 'vitepress/theme-without-fonts';
import { h } from 'vue';
import { searchOptions } from '../search/options.mjs';
import LostPage from './lost-page.vue';
import { rememberTabs } from './tabs.mjs';
import './site.css';
import './try/try.css';
import TryIt from './try/try-it.vue';

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(LostPage) }),
  enhanceApp({ app, siteData }) {
    app.component('TryIt', TryIt);
    siteData.value.themeConfig.search.options = { miniSearch: { searchOptions } };
  },
  setup: rememberTabs,
};
