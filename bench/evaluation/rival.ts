import { checkInjection, checkJailbreak } from 'llm_guardrail';

/** A detector of others that runs in the process, without a model to download. */
export const rival = {
  name: 'llm_guardrail 2.1.2',
  /** Whether one of its two classifiers of attacks objects, at their own thresholds. */
  objects: async (text: string): Promise<boolean> => {
    const results = await Promise.all([checkInjection(text), checkJailbreak(text)]);
    return results.some(({ detected }) => detected);
  },
};
