import type { Processor } from '@mastra/core/processors';

import { otherwise, pipeline } from '../../../src/index.js';
import { blockedTermsGuard } from '../../../workflows/guards/index.js';
import { contentModeration } from '../../../workflows/index.js';

/** Requests another answer once if one promises too much; the answer was already streamed by then. */
const promises: Processor & Required<Pick<Processor, 'processOutputStep'>> = {
  id: 'promises',
  name: 'Promises',
  processOutputStep: ({ text, messages, abort }) => {
    if (text?.includes('guarantee')) abort('Promise nothing.', { retry: true });
    return messages;
  },
};

/** The input pipeline: the built-in one, as a Mastra workflow of type `processor`. */
export const incoming = contentModeration({ id: 'incoming' });

/** The output pipeline: a forbidden word, and promises. */
export const outgoing = pipeline('outgoing')
  .then(blockedTermsGuard({ id: 'vault-word', terms: ['swordfish'] }))
  .then(promises)
  .commit();

/** A pipeline that no agent uses. */
export const spare = pipeline('spare')
  .then(blockedTermsGuard({ id: 'spare-terms', terms: ['forbidden'] }))
  .branch([[otherwise, blockedTermsGuard({ id: 'other-terms', terms: ['dubious'] })]])
  .commit();
