import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';

import LivePipeline from './LivePipeline.vue';
import ScorecardCells from './ScorecardCells.vue';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component('LivePipeline', LivePipeline);
    app.component('ScorecardCells', ScorecardCells);
  },
} satisfies Theme;
