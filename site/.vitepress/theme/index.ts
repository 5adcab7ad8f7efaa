import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';

import ScorecardCells from './ScorecardCells.vue';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => app.component('ScorecardCells', ScorecardCells),
} satisfies Theme;
