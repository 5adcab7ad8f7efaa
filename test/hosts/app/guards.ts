import type { Processor } from '@mastra/core/processors';

import { pipeline } from '../../../src/index.js';
import { blockedTermsGuard, contentModeration } from '../../../workflows/index.js';

/** Asks once for another answer where one promises too much; the answer has been streamed by then. */
const promises: Processor & Required<Pick<Processor, 'processOutputStep'>> = {
  id: 'promises',
  name: 'Promises',
  processOutputStep: ({ text, messages, abort }) => {
    if (text?.includes('guarantee')) abort('Promise nothing.', { retry: true });
    return messages;
  },
};

/** What comes in: the ready-made pipeline, as a Mastra workflow of type `processor`. */
export const incoming = contentModeration({ id: 'incoming' });

/** What goes out: a word that must not leave, and promises. */
export const outgoing = pipeline('outgoing')
  .then(blockedTermsGuard({ id: 'vault-word', terms: ['swordfish'] }))
  .then(promises)
  .commit();

/** A pipeline that no agent uses. */
export const spare = pipeline('spare')
  .then(blockedTermsGuard({ id: 'spare-terms', terms: ['forbidden'] }))
  .commit();
