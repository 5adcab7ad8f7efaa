import { runPath } from '../../../protocol/run-file.js';
import type { RunPage } from '../../../protocol/runs.js';
import type { StudioEntry, Place } from '../../../protocol/trace-entry.js';
import type { Cutting } from '../../../protocol/workbench.js';
import { query } from '../../api/request.js';
import { useGet } from '../../api/use-loaded.js';
import { Select } from '../../components/fields.js';
import { formatTime } from '../../components/format.js';
import { Loaded } from '../../components/loaded.js';

type Recorded = Extract<Cutting, { kind: 'recorded' }>;

interface RecordedProps {
  readonly cutting: Recorded;
  readonly onChange: (cutting: Recorded) => void;
}

/** Picks a model call from the recorded runs. */
export const RecordedPicker = ({ cutting, onChange }: RecordedProps) => (
  <Loaded loaded={useGet<RunPage>(`runs${query({ limit: 100 })}`)} noun="runs">
    {({ runs }) => (
      <>
        <Select
          title="Run"
          value={cutting.runId}
          options={[
            ...(runs.some(({ runId }) => runId === cutting.runId)
              ? []
              : [[cutting.runId, cutting.runId || 'Choose a run'] as const]),
            ...runs.map(
              ({ runId, userText, startedAt, agentId }) =>
                [runId, `${formatTime(startedAt)} · ${agentId} · ${userText}`] as const,
            ),
          ]}
          onChange={(runId) => onChange({ ...cutting, runId, stepNumber: 0, attempt: 1 })}
        />
        {cutting.runId !== '' && <CallSelect cutting={cutting} onChange={onChange} />}
      </>
    )}
  </Loaded>
);

const nameOf = ({ stepNumber, attempt }: Place): string => `step ${stepNumber + 1}, attempt ${attempt}`;

const CallSelect = ({ cutting, onChange }: RecordedProps) => (
  <Loaded loaded={useGet<StudioEntry[]>(`${runPath(cutting.runId)}/entries`)} noun="model calls">
    {(entries) => {
      const calls = callsIn(entries);
      const isKnown = calls.some((call) => nameOf(call) === nameOf(cutting));
      return calls.length === 0 ? (
        <p className="field-error">This run has no recorded model stream.</p>
      ) : (
        <Select
          title="Model call"
          value={isKnown ? nameOf(cutting) : ''}
          options={[
            ...(isKnown ? [] : [['', 'Choose a call'] as const]),
            ...calls.map((call) => [nameOf(call), `${nameOf(call)}: ${call.chunks} chunks, ${call.chars} characters`] as const),
          ]}
          onChange={(name) => {
            const { stepNumber, attempt } = calls.find((call) => nameOf(call) === name) ?? cutting;
            onChange({ ...cutting, stepNumber, attempt });
          }}
        />
      );
    }}
  </Loaded>
);

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
