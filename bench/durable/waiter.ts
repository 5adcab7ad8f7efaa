import { InterlockAgent, type Engine } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';

/** An agent whose model is asked once. */
export const waiter = (durability: Engine, answer: () => ScriptedStep): InterlockAgent =>
  new InterlockAgent({
    id: 'waiter',
    name: 'Waiter',
    instructions: 'Answer.',
    model: scriptedModel({ steps: answer }),
    durability,
  });
