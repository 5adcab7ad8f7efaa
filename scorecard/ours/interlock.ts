import { guard as withPolicy, InterlockAgent, pipeline } from '../../src/index.js';
import type { Compilable } from '../../src/mastra/graph/to-graph.js';
import type { Guard, Host } from '../host.js';
import { host as mastra } from './mastra.js';
import { openMastra, toProcessor, type Compose } from './mastra-agent.js';

/** A guard of whole values says so by its window; a guard that hangs is given up after a deadline. */
const guarded = (guard: Guard) =>
  withPolicy(toProcessor(guard), { deadlineMs: 1_000, ...(guard.buffered && { window: 'part' }) });

/** One pipeline: the guards of a group side by side, the others in order. */
export const pipelineOf = (guards: readonly Guard[], id: string) => {
  const grouped = guards.filter(({ group }) => group !== undefined);
  let built = pipeline(id) as unknown as Building;
  if (grouped.length > 0) built = built.parallel(grouped.map(guarded));
  for (const guard of guards.filter(({ group }) => group === undefined)) built = built.then(guarded(guard));
  return built.commit();
};

/** The builder without the types that tell one shape of pipeline from another. */
interface Building {
  readonly then: (step: unknown) => Building;
  readonly parallel: (steps: readonly unknown[]) => Building;
  readonly commit: () => Compilable;
}

const composed: Compose = (guards, side) => (guards.length > 0 ? [pipelineOf(guards, `${side}-guards`)] : []);

const withdraws = ({ type, data }: { type: string; data?: { partIds?: readonly string[] } }): readonly string[] =>
  type === 'data-interlock-retract' ? (data?.partIds ?? []) : [];

/** The host's own hooks, and those that only our loop has. */
export const hostWith = (id: string, name: string, config: () => object): Host => ({
  ...mastra,
  id,
  name,
  packages: ['mastra-interlock', ...mastra.packages],
  docs: [],
  sideBySide: true,
  hooks: { ...mastra.hooks, answer: ['edit', 'block', 'retry'] },
  open: (setup) =>
    openMastra(setup, { make: (given) => new InterlockAgent({ ...given, ...config() } as never), compose: composed, withdraws }),
});

export const host: Host = hostWith('interlock', 'InterlockAgent', () => ({}));
export const held: Host = hostWith('interlock-hold', "InterlockAgent, hold: 'run'", () => ({ hold: 'run' }));
