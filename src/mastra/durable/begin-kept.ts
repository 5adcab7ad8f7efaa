import type { Durable } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import type { LoopLimits } from '../../loop/machine.js';
import { answer } from '../../loop/resume-run.js';
import type { Run } from '../../loop/run.js';
import { decode, encode } from '../../loop/state/encode.js';
import { writeKept } from '../../loop/state/kept-state.js';
import { codeOf } from './code-of.js';
import type { KeptSitting } from './kept-sitting.js';
import type { DurableAgent, SettingUp } from './set-up.js';

/** A sitting of a run that is kept, about to begin or to be gone on with. */
export interface KeptBeginning extends Pick<DurableAgent, 'acceptChangedCode'>, Pick<KeptSitting, 'resumes'> {
  readonly durable: Durable;
  readonly runId: string;
  /** Makes the run in this process, as it is before anything of it is done. */
  make(options: MakeOptions): Promise<Run>;
}

/** `limits`: those that the run began with, when it continues. */
export type MakeOptions = Pick<SettingUp, 'isBeginning' | 'limits'>;

/** The format of journals that this version reads and writes. Raise it when an older journal can no longer be replayed. */
const journalFormat = 1;

/** How a run segment began, as it is persisted. */
type Begun =
  | { readonly format: number; readonly code: string; readonly limits: LoopLimits; readonly messageId: string }
  | { readonly error: unknown };

/**
 * Sets a run up. A failure of the first setup is persisted; a failure of a later one is not. A run that continues keeps the limits that
 * it began with: the journal is only valid under them. Rejects with `durable/changed-code` or `durable/unknown-format`.
 */
export const beginKept = async (beginning: KeptBeginning): Promise<{ run: Run } | { error: unknown }> => {
  const { durable, resumes, make, runId } = beginning;
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make({ isBeginning: !resumes });
      const { limits } = run.options;
      return encode({ format: journalFormat, code: codeOf(run), limits, messageId: run.messageId } satisfies Begun);
    } catch (error) {
      return encode({ error } satisfies Begun);
    }
  });
  const begun = decode(text) as Begun;
  if ('error' in begun) return begun;
  checkFormat(runId, begun.format);
  run ??= await make({ isBeginning: false, limits: begun.limits });
  run.messageId = begun.messageId; // it is told before anything else is kept
  await checkCode(beginning, { from: begun.code, to: codeOf(run) });
  checkModels(run, begun.limits);
  if (resumes) {
    writeKept(run, { ...resumes.state, status: undefined });
    if (resumes.answered) answer(run, resumes.answered);
  }
  return { run };
};

const checkFormat = (runId: string, format: number | undefined): void => {
  if (format === journalFormat) return;
  const detail = `its journal has format ${format ?? 0}, and this version reads format ${journalFormat}.`;
  throw new InterlockError('durable/unknown-format', { path: runId, detail });
};

/** A journal names models by their place in the list. */
const checkModels = ({ options: { runId, ports } }: Run, { models }: LoopLimits): void => {
  if (ports.models.length >= models) return;
  const detail = `it began with ${models} models, and the agent now has ${ports.models.length}.`;
  throw new InterlockError('durable/changed-code', { path: runId, detail });
};

const checkCode = async (
  { acceptChangedCode, runId }: KeptBeginning,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  if (from === to || (await acceptChangedCode?.({ runId, from, to }))) return;
  throw new InterlockError('durable/changed-code', { path: runId, detail: `it was begun by ${from}, and this is ${to}.` });
};
