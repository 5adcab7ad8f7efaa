import { memoryEngine } from '../../src/index.js';
import { hostWith } from './interlock.js';

/** The loop of durable runs: each segment of a run is journaled, and goes on from its journal. The engine keeps the journal in memory. */
export const host = hostWith('interlock-durable', 'InterlockAgent, durable', () => ({ durability: memoryEngine() }));
