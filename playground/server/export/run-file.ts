import { redactTrace, traceOfKind, type Trace } from '../../../src/replay.js';
import type { Catalog } from '../../protocol/catalog.js';
import { entriesAtOnce, entriesPath, runPath, subRunsPath, type RunFile } from '../../protocol/run-file.js';
import type { RunSummary } from '../../protocol/runs.js';
import type { PromptView, StudioEntry } from '../../protocol/trace-entry.js';
import { describeKnown } from '../catalog/catalog.js';
import { guardWords, isOfInput, revealedWords, maskedWords, traceOfLines, type ShowText } from '../runs/guard-words.js';
import { rejectedArguments } from '../runs/entries-of-trace.js';
import { mergedWords } from '../runs/merged-words.js';
import { promptsOf } from '../runs/prompts.js';
import { allLines, linesOf, summaryOf, type Studio } from '../studio.js';

/** Texts of verdicts beyond this number of characters are left out, so that a file stays small enough to send. */
const mostWords = 4_000_000;

/**
 * A run and those of its sub-agents as a file. Without `hasAllWords` it contains only text that readers outside the run have seen: no
 * text
 * that guards removed, no prompts, and nothing that was retracted.
 */
export const runFileOf = async (studio: Studio, runId: string, hasAllWords: boolean): Promise<RunFile> => {
  const answers: Record<string, unknown> = {};
  const traces: Record<string, readonly string[]> = {};
  const runs: RunSummary[] = [await summaryOf(studio, runId)];
  for (const summary of runs) {
    const { trace, ...own } = await exportRun(studio, summary, hasAllWords);
    Object.assign(answers, own.answers);
    if (trace) traces[summary.runId] = trace.map((line) => JSON.stringify(line));
    const subRuns = await studio.archive.list({ parent: summary.runId, limit: 200 });
    runs.push(...subRuns.runs);
  }
  for (const { runId: id } of runs) answers[subRunsPath(id)] = { runs: childrenOf(id, answers, runs) };
  return { runId, exportedAt: Date.now(), hasAllWords, traces, answers: { ...answers, catalog: await catalogOf(studio, runs) } };
};

/** The newest first, as in the server's list. */
const childrenOf = (runId: string, answers: Readonly<Record<string, unknown>>, runs: readonly RunSummary[]): unknown[] =>
  runs.filter(({ parent }) => parent?.runId === runId).map((run) => answers[runPath(run.runId)]);

interface ExportedRun {
  readonly answers: Readonly<Record<string, unknown>>;
  readonly trace: Trace | undefined;
}

const exportRun = async (studio: Studio, summary: RunSummary, hasAllWords: boolean): Promise<ExportedRun> => {
  const { runId } = summary;
  const lines = await linesOf(studio, { runId, kind: 'entry', ...allLines });
  const kept = await linesOf(studio, { runId, kind: 'trace', ...allLines });
  const trace = kept.length > 0 ? traceOfLines(kept) : undefined;
  const exported = hasAllWords || !trace ? trace : redactTrace(trace);
  const recorded = lines.map((line) => JSON.parse(line) as StudioEntry); // this studio's own lines
  const entries = hasAllWords ? recorded : withoutHiddenInput(recorded, exported);
  const answers: Record<string, unknown> = { [runPath(runId)]: { ...summary, ...userTextIn(entries, summary) } };
  for (let from = 0; from === 0 || from <= entries.length; from += entriesAtOnce)
    answers[entriesPath(runId, from)] = entries.slice(from, from + entriesAtOnce);
  if (trace && exported && studio.content === 'all')
    Object.assign(answers, wordsOf({ runId, trace, entries, show: hasAllWords ? undefined : maskedWords(exported) }));
  return { answers, trace: exported };
};

interface Words {
  readonly runId: string;
  readonly trace: Trace;
  readonly entries: readonly StudioEntry[];
  /** Masks the hidden words of a text; undefined if all may be shown. */
  readonly show: ShowText | undefined;
}

/** The data that a page requests on a click. */
const wordsOf = ({ runId, trace, entries, show }: Words): Record<string, unknown> => {
  const path = runPath(runId);
  const showIn = (): ShowText => show ?? ((text) => text);
  return {
    ...wordsOfGuards(entries, (entry) =>
      entry.event.type !== 'merge-conflict'
        ? [`${path}/guards/${entry.seq}`, guardWords(trace, entry, showIn)]
        : [`${path}/merges/${entry.seq}`, mergedWords(trace, entry, showIn)],
    ),
    [`${path}/prompts`]: promptsOf(trace, entries).map((prompt) => (show ? redactedPrompt(prompt, show) : prompt)),
    ...(!show && {
      [`${path}/reveal`]: revealedWords(trace, entries, { from: 0, to: Infinity }),
      [`${path}/rejected`]: rejectedArguments(trace),
    }),
  };
};

type EventEntry = Extract<StudioEntry, { kind: 'event' }>;

/** The texts of conflicts and verdicts, those of passes last, up to the size limit. */
const wordsOfGuards = (entries: readonly StudioEntry[], read: (entry: EventEntry) => [path: string, words: object]) => {
  const found = entries.flatMap((entry) => (entry.kind === 'event' && hasText(entry) ? [entry] : []));
  const words: Record<string, object> = {};
  let chars = 0;
  for (const entry of found.toSorted((a, b) => Number(isPass(a)) - Number(isPass(b)))) {
    const [path, view] = read(entry);
    chars += JSON.stringify(view).length;
    if (chars > mostWords) break;
    words[path] = view;
  }
  return words;
};

const hasText = ({ event: { type } }: EventEntry): boolean => /^(guard|guard-bypass|merge-conflict)$/.test(type);

const isPass = ({ event }: EventEntry): boolean => event.type === 'guard' && event.verdict === 'pass';

const redactedPrompt = ({ messages, settings, ...call }: PromptView, show: ShowText): PromptView => ({
  ...call,
  messages: messages.map(({ role, text, parts }) => ({
    role,
    text: show(text),
    parts: parts.map((part) => mapTexts(part, show)),
  })),
  settings: mapTexts(settings, show) as PromptView['settings'], // an object stays an object
});

const mapTexts = (value: unknown, show: ShowText): unknown => {
  if (typeof value === 'string') return show(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, show));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, show)]));
};

/** Hides the caller's input if guards changed it, or if that is unknown. */
const withoutHiddenInput = (entries: readonly StudioEntry[], redacted: Trace | undefined): StudioEntry[] => {
  const isSent = new Set(redacted && traceOfKind(redacted, 'input').flatMap(({ messages }) => messages.map(({ text }) => text)));
  const isChanged = entries.some(isEditOfInput);
  const isHidden = (text: string): boolean => (redacted ? !isSent.has(text) : isChanged);
  const show: ShowText = redacted ? maskedWords(redacted) : (text) => text.replaceAll(/\S/g, '▒');
  return entries.map((entry) =>
    entry.kind === 'input'
      ? { ...entry, messages: entry.messages.map((one) => (isHidden(one.text) ? { ...one, text: show(one.text) } : one)) }
      : entry,
  );
};

const isEditOfInput = (entry: StudioEntry): boolean =>
  entry.kind === 'event' && entry.event.type === 'guard' && entry.event.verdict !== 'pass' && isOfInput(entry.event.phase);

/** The caller's text in the lines. */
const userTextIn = (entries: readonly StudioEntry[], { userText }: RunSummary): Partial<RunSummary> => {
  const last = entries.flatMap((entry) => (entry.kind === 'input' ? entry.messages : [])).findLast(({ role }) => role === 'user');
  return { userText: last?.text.includes('▒') ? last.text.slice(0, userText.length) : userText };
};

/** The catalog entries for the agents of these runs. */
const catalogOf = async (studio: Studio, runs: readonly RunSummary[]): Promise<Catalog> => {
  const { agents, pipelines } = await describeKnown(await studio.known(), {});
  const ids = new Set(runs.map(({ agentId }) => agentId));
  return {
    ...studio.library,
    agents: agents.filter(({ id }) => ids.has(id)),
    pipelines: pipelines
      .filter(({ usedBy }) => usedBy.some((id) => ids.has(id)))
      .map((pipeline) => ({ ...pipeline, findings: [] })),
  };
};
