import { useCallback } from 'react';
import { get, query } from '../../api/request.js';
import { useLoaded } from '../../api/use-loaded.js';
import type { RunPage } from '../../../protocol/runs.js';
import type { StudioEntry, Place } from '../../../protocol/trace-entry.js';
import type { Cutting } from '../../../protocol/workbench.js';
import { ErrorNotice } from '../../components/error-notice.js';
import { formatTime } from '../../components/format.js';

type Recorded = Extract<Cutting, { kind: 'recorded' }>;

interface RecordedProps {
  readonly cutting: Recorded;
  readonly onChange: (cutting: Recorded) => void;
}

/** Picks a model call from the recorded runs. */
export const RecordedPicker = ({ cutting, onChange }: RecordedProps) => {
  const loaded = useLoaded(useCallback((signal) => get<RunPage>(`runs${query({ limit: 100 })}`, signal), []));
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  const runs = loaded.state === 'loaded' ? loaded.value.runs : [];
  const isListed = runs.some(({ runId }) => runId === cutting.runId);
  return (
    <>
      <label className="field">
        <span className="field-title">Run</span>
        <select
          className="input"
          value={cutting.runId}
          onChange={({ target }) => onChange({ ...cutting, runId: target.value, stepNumber: 0, attempt: 1 })}
        >
          {!isListed && <option value={cutting.runId}>{cutting.runId || 'Choose a run'}</option>}
          {runs.map(({ runId, userText, startedAt, agentId }) => (
            <option key={runId} value={runId}>
              {formatTime(startedAt)} · {agentId} · {userText}
            </option>
          ))}
        </select>
      </label>
      {cutting.runId !== '' && <CallSelect cutting={cutting} onChange={onChange} />}
    </>
  );
};

const CallSelect = ({ cutting, onChange }: RecordedProps) => {
  const { runId } = cutting;
  const path = `runs/${encodeURIComponent(runId)}/entries`;
  const loaded = useLoaded(useCallback((signal) => get<StudioEntry[]>(path, signal), [path]));
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} onRetry={loaded.reload} />;
  const calls = loaded.state === 'loaded' ? callsIn(loaded.value) : [];
  if (loaded.state === 'loaded' && calls.length === 0)
    return <p className="field-error">This run has no recorded model stream.</p>;
  const at = calls.findIndex(({ stepNumber, attempt }) => stepNumber === cutting.stepNumber && attempt === cutting.attempt);
  return (
    <label className="field">
      <span className="field-title">Model call</span>
      <select
        className="input"
        value={at}
        onChange={({ target }) => {
          const call = calls[Number(target.value)];
          if (call) onChange({ kind: 'recorded', runId, stepNumber: call.stepNumber, attempt: call.attempt });
        }}
      >
        {at < 0 && <option value={-1}>Choose a call</option>}
        {calls.map(({ stepNumber, attempt, chunks, chars }, index) => (
          <option key={`${stepNumber} ${attempt}`} value={index}>
            step {stepNumber + 1}, attempt {attempt}: {chunks} chunks, {chars} characters
          </option>
        ))}
      </select>
    </label>
  );
};

/** A recorded model call. */
interface RecordedCall extends Place {
  readonly chunks: number;
  readonly chars: number;
}

/** The model calls of a run with text, in order. */
const callsIn = (entries: readonly StudioEntry[]): RecordedCall[] => {
  const calls = new Map<string, RecordedCall>();
  for (const entry of entries) {
    if (entry.kind !== 'came' || entry.part.chars === 0) continue;
    const { stepNumber, attempt, part } = entry;
    const key = `${stepNumber} ${attempt}`;
    const { chunks = 0, chars = 0 } = calls.get(key) ?? {};
    calls.set(key, { stepNumber, attempt, chunks: chunks + 1, chars: chars + part.chars });
  }
  return [...calls.values()];
};
