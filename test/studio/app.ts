import { Mastra } from '@mastra/core/mastra';
import { InterlockAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';

/** An application with one agent, whose first answer is complete and whose second never ends. */
const agent = new InterlockAgent({
  id: 'helper',
  name: 'Helper',
  instructions: 'Help.',
  model: scriptedModel({ steps: [{ text: 'All is well.' }, { text: ['One ', 'moment '], hang: true }] }),
});

export const mastra = new Mastra({ agents: { helper: agent }, logger: false });
