import type { Phase, PhaseData } from '../phase/row.js';
import type { Retry, Verdict } from '../verdict.js';
import { cutQuotesOf } from '../guard/strip-quoted-error.js';
import { leavesOf } from '../guard/map-texts.js';
import { wordsIn } from '../trace/texts-in.js';
import type { Run } from './run.js';
import { errorOfStop } from './stop-errors.js';

/** The guards' version of a payload, or a request for another attempt. */
type Judged<P extends Phase> =
  { readonly data: PhaseData<P>; readonly retry?: undefined } | { readonly data?: undefined; readonly retry: Retry };

/** The words that a payload contains. */
const wordsOf = (data: object): string => {
  const { messages, systemMessages, prompt, result, args, part } = data as Readonly<Record<string, unknown>>; // read by name
  return [wordsIn([messages, systemMessages, prompt]), ...leavesOf([result, args, part]).map(String)].join('\n');
};

interface JudgeOptions {
  /** Whether another attempt is possible here. Default true. */
  readonly mayRetry?: boolean;
}

/** Runs the guards of a phase. Throws the error that ends the run: a tripwire, a failed guard, the caller's abort. */
export const judge = async <P extends Phase>(run: Run, data: PhaseData<P>, options?: JudgeOptions): Promise<Judged<P>> => {
  run.throwIfStopped();
  if (!run.plan.has(data.phase)) return { data };
  return settle(run, data, { ...options, verdict: await run.plan.run<P>(data.phase, data, run.scope) });
};

/** Reads a verdict; see {@link judge}. */
const settle = <P extends Phase>(
  run: Run,
  data: PhaseData<P>,
  { verdict, mayRetry = true }: JudgeOptions & { verdict: Verdict<PhaseData<P>> },
): Judged<P> => {
  run.throwIfStopped(); // another guard may have ended the run in the meantime
  run.options.abortSignal?.throwIfAborted();
  switch (verdict.kind) {
    case 'pass':
      return { data };
    case 'edit':
      return { data: verdict.data };
    case 'retry':
      if (mayRetry) return { retry: verdict };
      throw run.end(errorOfStop(verdict));
    case 'trip':
    case 'unavailable':
      throw run.end(errorOfStop(verdict, cutQuotesOf(wordsOf(data))));
    default:
      return verdict satisfies never;
  }
};
