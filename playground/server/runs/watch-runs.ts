import type { TraceEntry } from '../../../schemas/index.js';
import type { TraceRecorder, TraceSink } from '../../../src/index.js';
import { createRunLog, type Keeping, type RunLog } from './run-log.js';

interface Watching extends Keeping {
  /** The runs that go on, or rest, by their ids. */
  readonly watched: Map<string, RunLog>;
  /** Whether a run has its log already: it was started here, or two recorders tell of it. */
  readonly isKnown: (runId: string) => boolean;
}

type Header = Parameters<TraceRecorder>[0];

/** Takes in runs that somebody else starts, from their first line to their last. */
export const watchRuns =
  (watching: Watching): TraceRecorder =>
  (header): TraceSink => {
    let log: RunLog | undefined;
    return (entry) => {
      if (entry.kind === 'input' && !watching.isKnown(header.runId)) log = openLog(watching, header, entry);
      log?.trace(entry);
      if (log && entry.kind === 'result' && entry.status !== 'suspended') void closeLog(watching, log);
    };
  };

/** What the caller said last is what a run is known by; it is told in the line after the header. */
const openLog = (
  { watched, keepsContent, onChange }: Watching,
  header: Header,
  input: Extract<TraceEntry, { kind: 'input' }>,
): RunLog => {
  const { runId, agentId = 'agent', threadId = runId, parent } = header;
  const said = input.messages.findLast(({ role }) => role === 'user')?.text ?? '';
  const log = createRunLog({
    head: { runId, agentId, threadId, said, ...(parent && { parent }) },
    now: Date.now,
    keepsContent,
    onChange,
  });
  watched.set(runId, log);
  log.trace(header);
  return log;
};

const closeLog = async ({ watched, onOver }: Watching, log: RunLog): Promise<void> => {
  log.close();
  await onOver(log);
  watched.delete(log.runId);
};
