import { toolWords, verdictWords, type Told } from '../../fold/facts.js';

/** A verdict, or the outcome of a tool call, given as text, e.g. in a comparison. */
export const signalOf = (verdict: string): Told =>
  (verdictWords as Partial<Record<string, Told>>)[verdict] ?? {
    tone: Object.values(toolWords).find(({ word }) => word === verdict)?.tone ?? 'out',
    word: verdict.replace('would trip', 'would block'),
  };

export const wordOf = (verdict: string | undefined): string => (verdict === undefined ? 'no verdict' : signalOf(verdict).word);
