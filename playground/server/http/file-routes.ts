import { Hono } from 'hono';
import { InterlockError, parseTrace, redactTrace } from '../../../src/index.js';
import { importRuns } from '../export/import-run.js';
import { onePage } from '../export/one-page.js';
import { runFileOf } from '../export/run-file.js';
import { summaryOf, type Studio } from '../studio.js';
import { attached } from './attached.js';
import { wordsQuerySchema } from './inputs.js';
import { builtPages } from './pages.js';
import { readQuery } from './read-request.js';
import { traceLinesOf } from './words-routes.js';

/** Runs as files, out and in. */
export const fileRoutes = (studio: Studio): Hono => {
  const withAllWords = (words: string | undefined, runId: string): boolean => {
    if (words !== 'all') return false;
    if (studio.content !== 'all') throw new InterlockError('studio/content-withheld', { path: runId });
    return true;
  };
  return new Hono()
    .get('/runs/:runId/file', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const hasAllWords = withAllWords(readQuery(c, wordsQuerySchema).words, runId);
      const page = onePage(await runFileOf(studio, runId, hasAllWords), builtPages());
      attached(c, `${runId}.html`);
      return c.html(page);
    })
    .get('/runs/:runId/trace', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const hasAllWords = withAllWords(readQuery(c, wordsQuerySchema).words, runId);
      const lines = await traceLinesOf(studio, runId);
      const shown = hasAllWords ? lines : redactTrace(parseTrace(lines.join('\n'))).map((entry) => JSON.stringify(entry));
      attached(c, `${runId}.jsonl`);
      return c.body(`${shown.join('\n')}\n`, 200, { 'Content-Type': 'application/x-ndjson' });
    })
    .post('/import', async (c) => c.json(await importRuns(studio, await c.req.text()), 201));
};
