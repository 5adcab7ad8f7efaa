import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Where the studio's server listens while the pages are worked on, started with `--no-token`; `STUDIO_SERVER` names another. */
const server = process.env['STUDIO_SERVER'] ?? 'http://127.0.0.1:4477';

export default defineConfig({
  root: here('.'),
  base: './',
  plugins: [react()],
  // Sources of the pages' own folder `api` are not the server's.
  server: { host: '127.0.0.1', port: 4478, proxy: { '^/api/(?!.*\\.tsx?(\\?|$))': { target: server } } },
  build: {
    outDir: here('../../dist/studio'),
    emptyOutDir: true,
    target: 'es2024',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
  },
});
