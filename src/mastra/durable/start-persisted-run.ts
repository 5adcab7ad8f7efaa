import { createHash } from 'node:crypto';
import type { Durable } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import { type LoopLimits, loopMachine } from '../../loop/machine.js';
import { applyCallResponse } from '../../loop/resume-run.js';
import type { Run } from '../../loop/run.js';
import { decodeAt, encode } from '../../loop/state/encode.js';
import { applyPersistedState } from '../../loop/state/persisted-state.js';
import type { CodeChange } from '../options/own-options.js';
import type { PersistedSegment } from './persisted-segment.js';
import type { DurableAgent, SetUpOptions } from './set-up.js';
import { childrenOf, type GraphNode } from '../../pipeline/graph.js';

/** A segment of a run that is kept, about to begin or to be gone on with. */
export interface PersistedStartOptions extends Pick<DurableAgent, 'acceptChangedCode'>, Pick<PersistedSegment, 'resumes'> {
  readonly durable: Durable;
  readonly runId: string;
  /** Makes the run in this process, as it is before anything of it is done. */
  make(options: MakeOptions): Promise<Run>;
  /** Called when the run waits for other code. */
  readonly onChange?: (change: CodeChange) => Promise<void>;
}

/** `limits`: those that the run began with, when it continues. */
export type MakeOptions = Pick<SetUpOptions, 'isBeginning' | 'limits'>;

/** The format of journals that this version reads and writes. Raise it when an older journal can no longer be replayed. */
const journalFormat = 1;

/** How a run segment began, as it is persisted. */
type RunStart =
  | { readonly format: number; readonly code: string; readonly limits: LoopLimits; readonly messageId: string }
  | { readonly error: unknown };

/**
 * Sets a run up. A failure of the first setup is persisted; a failure of a later one is not. A run that continues keeps the
 * limits that it began with: the journal is only valid under them. Rejects with `durable/changed-code` or
 * `durable/unknown-format`.
 */
export const startPersistedRun = async (
  options: PersistedStartOptions,
): Promise<{ run: Run; isRecovered: boolean } | { error: unknown }> => {
  const { durable, resumes, make, runId } = options;
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make({ isBeginning: !resumes });
      const { limits } = run.options;
      return encode({ format: journalFormat, code: definitionHash(run), limits, messageId: run.messageId } satisfies RunStart);
    } catch (error) {
      return encode({ error } satisfies RunStart);
    }
  });
  const start = decodeAt(text, `${runId} begin`) as RunStart;
  if ('error' in start) return start;
  checkFormat(runId, start.format);
  const isRecovered = run === undefined;
  run ??= await make({ isBeginning: false, limits: start.limits });
  run.messageId = start.messageId; // stored before everything else
  await checkCode(options, run, start);
  if (resumes) {
    applyPersistedState(run, { ...resumes.state, status: undefined });
    if (resumes.answered) applyCallResponse(run, resumes.answered);
  }
  return { run, isRecovered };
};

const checkFormat = (runId: string, format: number | undefined): void => {
  if (format === journalFormat) return;
  const detail = `its journal has format ${format ?? 0}, and this version reads format ${journalFormat}.`;
  throw new InterlockError('durable/unknown-format', { path: runId, detail });
};

/** Settles where the run may go on: by the code that it began with, by other code that is accepted, or only to end as canceled. */
const checkCode = async (
  options: PersistedStartOptions,
  run: Run,
  start: { code: string; limits: LoopLimits },
): Promise<void> => {
  const { acceptChangedCode, durable, resumes, runId, onChange } = options;
  const [to, { length }, needed] = [definitionHash(run), run.options.ports.models, start.limits.models];
  const change: CodeChange = { runId, from: start.code, to };
  const hasModels = length >= needed; // a journal names them by their places
  if (hasModels && (change.from === to || (await acceptChangedCode?.(change)))) return;
  if (resumes && !resumes.answered) return; // it was asked to end
  await onChange?.(change);
  if (await isSoonAborted(durable.canceled, hearCancelMs)) return;
  const detail = hasModels
    ? `it was begun by ${change.from}, and this is ${to}.`
    : `it began with ${needed} models, and the agent now has ${length}.`;
  throw new InterlockError('durable/changed-code', { path: runId, detail });
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

/**
 * A hash of the code that the run's journal depends on: the statechart, and the guards of each lane in order. A run of other
 * code may reach other states.
 */
const definitionHash = ({ options: { lanes } }: Run): string => {
  const guards = Object.entries(lanes).map(([lane, plan]) => [lane, plan && shapeOf(plan.graph)]);
  return createHash('sha256')
    .update(JSON.stringify([loopMachine.config, guards]))
    .digest('hex')
    .slice(0, 16);
};

const shapeOf = (node: GraphNode): unknown => [node.kind, 'id' in node ? node.id : '', childrenOf(node).map(shapeOf)];
