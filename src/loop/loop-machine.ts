import { getLoopMachine } from './machine.js';

/** The statechart of the agent loop. */
export const loopMachine: ReturnType<typeof getLoopMachine> = getLoopMachine();
