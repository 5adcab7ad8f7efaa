import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent } from 'vue';

export default {
  extends: DefaultTheme,
  enhanceApp: ({ app }) => {
    app.component(
      'LivePipeline',
      defineAsyncComponent(() => import('./LivePipeline.vue')),
    );
    app.component(
      'ScorecardCells',
      defineAsyncComponent(() => import('./ScorecardCells.vue')),
    );
  },
} satisfies Theme;
