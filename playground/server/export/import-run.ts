import { z } from 'zod';
import { InterlockError } from '../../../src/index.js';
import { parseTrace, type Trace } from '../../../src/replay.js';
import { entriesAtOnce, entriesPath, runFileElement, runPath, type RunFile } from '../../protocol/run-file.js';
import type { StudioEntry } from '../../protocol/trace-entry.js';
import { createRunLog, type RunLog } from '../runs/run-log.js';
import type { RunHead } from '../runs/summary.js';
import type { Studio } from '../studio.js';

/**
 * Imports runs from a file: an exported page, or a trace as lines of JSON. Existing runs stay unchanged. Returns the id of the run
 * that the file shows. Raises `studio/invalid-request`, `trace/invalid` and `trace/version`.
 */
export const importRuns = async (studio: Studio, text: string): Promise<{ readonly runId: string }> => {
  const page = new RegExp(`<script type="application/json" id="${runFileElement}">(.*?)</script>`, 's').exec(text)?.[1];
  const logs = page === undefined ? [logOfTrace(studio, parseTrace(text))] : logsOfFile(studio, readFile(page));
  for (const log of logs) if (!(await studio.archive.find(log.runId))) studio.archive.schedule(log);
  await studio.archive.flush();
  return { runId: logs[0]?.runId ?? '' };
};

const headSchema = z.object({
  runId: z.string().min(1),
  agentId: z.string(),
  threadId: z.string(),
  userText: z.string(),
  parent: z.object({ runId: z.string(), toolCallId: z.string() }).optional(),
});

const fileSchema = z.object({
  runId: z.string().min(1),
  answers: z.record(z.string(), z.unknown()),
  traces: z.record(z.string(), z.array(z.string())),
});

/** Pages use the lines' own format: only the kind and the place in the run are checked. */
const entriesSchema = z.array(z.looseObject({ seq: z.number(), at: z.number(), kind: z.string() }));

type ReadFile = Pick<RunFile, 'runId' | 'answers' | 'traces'>;

const readFile = (json: string): ReadFile => {
  const read = fileSchema.safeParse(parsed(json));
  if (!read.success) throw invalid(read.error);
  return read.data;
};

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new InterlockError('studio/invalid-request', { detail: 'The file is not an exported run', cause });
  }
};

const invalid = ({ issues: [issue] }: z.ZodError): InterlockError =>
  new InterlockError('studio/invalid-request', { path: issue?.path.join('.'), detail: issue?.message });

const logsOfFile = (studio: Studio, { runId, answers, traces }: ReadFile): RunLog[] => {
  const others = Object.keys(answers).flatMap((path) => /^runs\/([^/?]+)$/.exec(path)?.[1] ?? []);
  return [...new Set([runId, ...others.map(decodeURIComponent)])].map((id) => {
    const head = headSchema.safeParse(answers[runPath(id)]);
    if (!head.success) throw invalid(head.error);
    const entries = entriesIn(answers, id);
    const log = logOf(studio, head.data, entries[0]?.at);
    const trace = traces[id];
    if (trace) for (const line of parseTrace(trace.join('\n'))) log.trace(line);
    else for (const { seq: _seq, at, ...fact } of entries) log.add(fact, at);
    return closed(log);
  });
};

const entriesIn = (answers: RunFile['answers'], runId: string): StudioEntry[] => {
  const entries: StudioEntry[] = [];
  for (let from = 0; answers[entriesPath(runId, from)] !== undefined; from += entriesAtOnce) {
    const page = entriesSchema.safeParse(answers[entriesPath(runId, from)]);
    if (!page.success) throw invalid(page.error);
    entries.push(...(page.data as unknown as StudioEntry[])); // written by a studio
  }
  return entries;
};

const logOfTrace = (studio: Studio, trace: Trace): RunLog => {
  const [header] = trace;
  if (header?.kind !== 'header') throw new InterlockError('trace/invalid', { path: 'line 1' });
  const { runId, agentId = 'agent', threadId = runId, parent } = header;
  const input = trace.find((line) => line.kind === 'input');
  const userText = input?.messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const log = logOf(studio, { runId, agentId, threadId, userText, ...(parent && { parent }) }, header.at);
  for (const line of trace) log.trace(line);
  return closed(log);
};

const logOf = ({ content }: Studio, head: RunHead, at = Date.now()): RunLog =>
  createRunLog({ head, now: () => at, keepsContent: content === 'all', onChange: () => undefined });

const closed = (log: RunLog): RunLog => {
  log.close();
  return log;
};
