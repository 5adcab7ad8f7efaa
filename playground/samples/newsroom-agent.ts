import type { MastraModelConfig } from '@mastra/core/llm';
import type { Processor } from '@mastra/core/processors';
import { guard, InterlockAgent, pipeline } from '../../src/index.js';
import { leakGuard, promptInjectionGuard, redactor } from '../../workflows/index.js';
import { masking } from './masking.js';
import { slowReader } from './slow-reader.js';

/** Only looks: what a sibling takes out meanwhile, it has seen. */
const politeness: Processor = {
  id: 'politeness',
  processInput: async ({ messages, abort }) =>
    JSON.stringify(messages).includes('you idiot') ? abort('Please stay polite.') : messages,
};

/** A service that is never there. */
const factCheck: Processor = {
  id: 'fact-check',
  processInput: async () => {
    throw new Error('The fact checker does not answer.');
  },
};

/** Three guards side by side: two of them edit the same words, one only reads. */
const input = () =>
  pipeline('newsroom-input', { staleVerdicts: 'report' })
    .parallel([
      masking('mail', /[\w.+-]+@[\w.-]+\w/g, '[mail]'),
      masking('domain', /[\w-]+\.(?:com|org|example)\b/g, '[domain]'),
      politeness,
    ])
    .then(guard(promptInjectionGuard({ id: 'injection-shadow' }), { shadow: true }))
    .then(guard(factCheck, { onUnavailable: 'pass' }))
    .commit();

/** What leaves is held until a sentence was read; values are redacted, and what stands there at last is judged once more. */
const output = () =>
  pipeline('newsroom-output')
    .then(redactor({ strategy: 'replace' }))
    .then(guard(slowReader, { window: 'sentence' }))
    .then(leakGuard())
    .commit();

/** An agent whose guards work side by side, in the shadow, and without an answer. */
export const createNewsroomAgent = (model: MastraModelConfig) =>
  new InterlockAgent({
    id: 'newsroom',
    name: 'Newsroom',
    instructions: 'You answer in short sentences.',
    model,
    inputProcessors: input(),
    outputProcessors: output(),
    maxProcessorRetries: 1,
  });
