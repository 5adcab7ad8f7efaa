import { compareTraces } from '../../../src/index.js';
import type { RunsBeside } from '../../protocol/runs.js';
import { traceLinesOf } from '../http/words-routes.js';
import { traceOfLines } from '../runs/guard-words.js';
import { summaryOf, type Studio } from '../studio.js';

/** Two recorded runs, verdict by verdict; nothing of it is hidden from pages. Raises `studio/not-found`. */
export const besideRuns = async (studio: Studio, runId: string, otherId: string): Promise<RunsBeside> => {
  const [before, after] = await Promise.all([recorded(studio, runId), recorded(studio, otherId)]);
  const compared = compareTraces(before.trace, after.trace);
  const answers = { before: compared.before.text, after: compared.after.text };
  return { before: before.summary, after: after.summary, answers, rows: compared.rows };
};

const recorded = async (studio: Studio, runId: string) => ({
  summary: await summaryOf(studio, runId),
  trace: traceOfLines(await traceLinesOf(studio, runId)),
});
