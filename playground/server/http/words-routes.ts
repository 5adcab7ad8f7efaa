import { Hono } from 'hono';
import { InterlockError } from '../../../src/index.js';
import type { Trace } from '../../../src/replay.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { guardWords, revealedWords, visibleWords, traceOfLines } from '../runs/guard-words.js';
import { rejectedArguments } from '../runs/entries-of-trace.js';
import { mergedWords } from '../runs/merged-words.js';
import { promptsOf } from '../runs/prompts.js';
import { allLines, linesOf, summaryOf, type Studio } from '../studio.js';
import { guardQuerySchema, revealQuerySchema, seqSchema } from './inputs.js';
import { readInput, readQuery } from './read-request.js';

/** Routes for text on request: guards' texts, and text that was not released. */
export const wordsRoutes = (studio: Studio): Hono =>
  new Hono()
    .get('/runs/:runId/guards/:seq', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const entry = await entryAt(studio, runId, c.req.param('seq'));
      const trace = await traceOf(studio, runId);
      return c.json(guardWords(trace, entry, visibleWords(trace, readQuery(c, guardQuerySchema).reveal === '1')));
    })
    .get('/runs/:runId/merges/:seq', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const entry = await entryAt(studio, runId, c.req.param('seq'));
      const trace = await traceOf(studio, runId);
      return c.json(mergedWords(trace, entry, visibleWords(trace, readQuery(c, guardQuerySchema).reveal === '1')));
    })
    .get('/runs/:runId/prompts', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      return c.json(promptsOf(await traceOf(studio, runId), await entriesOf(studio, runId, allLines)));
    })
    .get('/runs/:runId/rejected', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      return c.json(rejectedArguments(await traceOf(studio, runId)));
    })
    .get('/runs/:runId/reveal', async (c) => {
      const { runId } = await summaryOf(studio, c.req.param('runId'));
      const range = readQuery(c, revealQuerySchema);
      const trace = await traceOf(studio, runId);
      return c.json(revealedWords(trace, await entriesOf(studio, runId, { from: 0, limit: range.to + 1 }), range));
    });

/** A line of a run. Raises `studio/not-found`. */
const entryAt = async (studio: Studio, runId: string, position: string): Promise<StudioEntry> => {
  const seq = readInput(position, seqSchema);
  const [entry] = await entriesOf(studio, runId, { from: seq, limit: 1 });
  if (!entry) throw new InterlockError('studio/not-found', { path: `${runId} ${seq}` });
  return entry;
};

const entriesOf = async (studio: Studio, runId: string, range: { from: number; limit: number }): Promise<StudioEntry[]> =>
  (await linesOf(studio, { runId, kind: 'entry', ...range })).map((line) => JSON.parse(line) as StudioEntry); // this studio's own lines

/** The whole trace of a run. Raises `studio/content-withheld` if text is not stored, `studio/not-found` if nothing was recorded. */
export const traceOf = async (studio: Studio, runId: string): Promise<Trace> => {
  if (studio.content !== 'all') throw new InterlockError('studio/content-withheld', { path: runId });
  return traceOfLines(await traceLinesOf(studio, runId));
};

/** The stored trace of a run. Raises `studio/not-found` if nothing was recorded, as for Mastra's own agent. */
export const traceLinesOf = async (studio: Studio, runId: string): Promise<readonly string[]> => {
  const lines = await linesOf(studio, { runId, kind: 'trace', ...allLines });
  if (lines.length === 0)
    throw new InterlockError('studio/not-found', { path: runId, detail: 'no trace of this run was recorded' });
  return lines;
};
