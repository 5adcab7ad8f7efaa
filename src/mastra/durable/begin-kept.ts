import type { Durable } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import { answer } from '../../loop/resume-run.js';
import type { Run } from '../../loop/run.js';
import { decode, encode } from '../../loop/state/encode.js';
import { writeKept } from '../../loop/state/kept-state.js';
import { codeOf } from './code-of.js';
import type { KeptSitting } from './kept-sitting.js';
import type { DurableAgent } from './set-up.js';

/** A sitting of a run that is kept, about to begin or to be gone on with. */
export interface KeptBeginning extends Pick<DurableAgent, 'acceptChangedCode'>, Pick<KeptSitting, 'resumes'> {
  readonly durable: Durable;
  readonly runId: string;
  /** Makes the run in this process, as it is before anything of it is done. */
  make(isBeginning: boolean): Promise<Run>;
}

/** How a sitting began, as it is kept. */
type Begun = { readonly code: string; readonly messageId: string } | { readonly error: unknown };

/** Sets a run up; that it cannot be set up at all is kept, that it cannot be set up again is not. Rejects with `durable/changed-code`. */
export const beginKept = async (beginning: KeptBeginning): Promise<{ run: Run } | { error: unknown }> => {
  const { durable, resumes, make } = beginning;
  let run: Run | undefined;
  const text = await durable.step('begin', async () => {
    try {
      run = await make(!resumes);
      return encode({ code: codeOf(run), messageId: run.messageId } satisfies Begun);
    } catch (error) {
      return encode({ error } satisfies Begun);
    }
  });
  const begun = decode(text) as Begun;
  if ('error' in begun) return begun;
  run ??= await make(false);
  run.messageId = begun.messageId; // it is told before anything else is kept
  await checkCode(beginning, { from: begun.code, to: codeOf(run) });
  if (resumes) {
    writeKept(run, { ...resumes.state, status: undefined });
    if (resumes.answered) answer(run, resumes.answered);
  }
  return { run };
};

const checkCode = async (
  { acceptChangedCode, runId }: KeptBeginning,
  { from, to }: { from: string; to: string },
): Promise<void> => {
  if (from === to || (await acceptChangedCode?.({ runId, from, to }))) return;
  throw new InterlockError('durable/changed-code', { path: runId, detail: `it was begun by ${from}, and this is ${to}.` });
};
