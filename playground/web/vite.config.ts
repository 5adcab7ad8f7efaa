import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The address of the studio's server during work on the pages, started with `--no-token`; `STUDIO_SERVER` overrides it. */
const server = process.env['STUDIO_SERVER'] ?? 'http://127.0.0.1:4477';

const sharedParts =
  /lucide-react|playground\/(?:fold|protocol|web\/(?:api|fold|shell|again\/(?!guard-form)|components\/(?!virtual-list|lay-out|drawing)))/;

export default defineConfig({
  root: here('.'),
  base: './',
  plugins: [react()],
  // Requests for sources in the pages' own folder `api` do not go to the server.
  server: { host: '127.0.0.1', port: 4478, proxy: { '^/api/(?!.*\\.tsx?(\\?|$))': { target: server } } },
  build: {
    outDir: here('../../dist/studio'),
    emptyOutDir: true,
    target: 'es2024',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    // One file for the parts of most pages, otherwise a run needs thirty.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', test: sharedParts, minShareCount: 3 }] } },
    },
  },
});
