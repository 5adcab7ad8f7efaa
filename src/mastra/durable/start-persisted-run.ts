import type { Durable } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import { applyCallResponse } from '../../loop/resume-run.js';
import type { Run } from '../../loop/run.js';
import { checkFormat, decodeAt, encode, journalFormat } from '../../loop/state/encode.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import type { CodeChange } from '../options/own-options.js';
import type { PersistedSegment } from './persisted-segment.js';
import { changesBetween, definitionOf, type RunDefinition } from './run-definition.js';
import type { DurableAgent, SetUpOptions } from './set-up.js';

/** A stored segment of a run that will start or continue. */
export interface PersistedStartOptions extends Pick<DurableAgent, 'acceptChangedCode'> {
  readonly durable: Durable;
  readonly segment: PersistedSegment;
  /** Makes the run in this process, as it is before anything of it is done. */
  make(options: MakeOptions): Promise<Run>;
}

/** `limits`: those that the run began with, when it continues. */
export type MakeOptions = Pick<SetUpOptions, 'isBeginning' | 'limits'>;

/** How a run segment began, as it is persisted. */
type SegmentStart = RunDefinition & { readonly format: number; readonly messageId: string };

/** A run segment that starts or continues in this process. */
export interface StartedSegment {
  readonly run: Run;
  readonly isRecovered: boolean;
  /** The segment; its call says what the run began with. */
  readonly segment: PersistedSegment;
}

/**
 * Sets a run up. A failure of the first setup is persisted; a failure of a later one is not. A run that continues keeps the
 * definition that it began with, also after it was suspended: the journal is only valid under it. Rejects with
 * `durable/changed-code` or `durable/unknown-format`.
 */
export const startPersistedRun = async (options: PersistedStartOptions): Promise<StartedSegment | { error: unknown }> => {
  const { durable, make, segment } = options;
  const { call, resumes } = segment;
  const { runId, definition: known } = call;
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make({ isBeginning: !resumes });
      const { messageId } = run;
      return encode({ format: journalFormat, ...(known ?? definitionOf(run)), messageId } satisfies SegmentStart);
    } catch (error) {
      return encode({ error });
    }
  });
  const start = decodeAt(text, `${runId} begin`) as SegmentStart | { readonly error: unknown };
  if ('error' in start) return start;
  const { format, messageId, ...definition } = start;
  checkFormat(format, runId);
  const isRecovered = run === undefined;
  run ??= await make({ isBeginning: false, limits: definition.limits });
  run.messageId = messageId; // stored before everything else
  await checkCode(options, run, definition);
  if (resumes) {
    applyPersistedState(run, { ...resumes.state, status: undefined });
    if (resumes.answered) applyCallResponse(run, resumes.answered);
  }
  return { run, isRecovered, segment: { ...segment, call: { ...call, definition } } };
};

/** Settles where the run may go on: by the code that it began with, by other code that is accepted, or only to end as canceled. */
const checkCode = async (options: PersistedStartOptions, run: Run, definition: RunDefinition): Promise<void> => {
  const { acceptChangedCode, durable, segment } = options;
  const { runId } = segment.call;
  const here = definitionOf(run);
  const [{ length }, needed] = [run.options.ports.models, definition.limits.models];
  const hasModels = length >= needed; // a journal names them by their places
  const models = hasModels ? [] : [`it began with ${needed} models, and the agent now has ${length}`];
  const change: CodeChange = {
    runId,
    from: definition.code,
    to: here.code,
    changes: [...changesBetween(definition, here), ...models],
  };
  if (hasModels && (change.from === change.to || (await acceptChangedCode?.(change)))) return;
  if (segment.resumes && !segment.resumes.answered) return; // it was asked to end
  await durable.lookForCancel?.();
  if (await isSoonAborted(durable.canceled, hearCancelMs)) return;
  throw new InterlockError('durable/changed-code', {
    path: runId,
    detail: `begun by ${change.from}, here ${change.to}: ${change.changes.join('; ')}.`,
    cause: change,
  });
};

/** How long a process that has to refuse a run waits to hear that the run is to end: engines tell of it a moment later. */
const hearCancelMs = 500;

const isSoonAborted = async (signal: AbortSignal, withinMs: number): Promise<boolean> => {
  if (!signal.aborted)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, withinMs);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
    });
  return signal.aborted;
};
