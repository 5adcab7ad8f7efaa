import type { Engine } from '../../durable/journal.js';
import { InterlockError } from '../../errors.js';
import type { Effect } from '../../loop/effect.js';

/** The declared side effects of an agent's tools, by tool name. */
export type ToolEffects = Readonly<Record<string, Effect>>;

/** The engine of a run, or for a sub-agent's run that of its supervisor. */
type EngineInfo = Pick<Engine, 'isFenced'> & Partial<Pick<Engine, 'name'>>;

/** Rejects a tool with effect `once` if its engine cannot guarantee it. Raises `durable/effect-not-promised`. */
export const checkPromise = (effects: ToolEffects | undefined, engine: EngineInfo | undefined): void => {
  const [name] = Object.entries(effects ?? {}).find(([, effect]) => effect === 'once') ?? [];
  if (name === undefined || engine?.isFenced) return;
  const detail = engine
    ? `${engine.name ? `the engine "${engine.name}"` : "the supervisor's engine"} does not tell a process that goes on from one that was given up.`
    : 'nothing keeps this run.';
  throw new InterlockError('durable/effect-not-promised', { path: `effects.${name}`, detail });
};
