import { InterlockError } from '../../errors.js';
import type { Persistence } from '../../loop/persistence.js';
import type { CallOptions } from '../call-options.js';
import type { InterlockConfig } from './config.js';

/** What an agent asks for where a call says nothing: its configuration, with the defaults of its calls over it. */
interface OwnOptions {
  readonly guards: InterlockConfig;
  readonly defaults: CallOptions;
}

type Tightenable = 'inputProcessors' | 'outputProcessors' | 'errorProcessors' | 'hold' | 'persistence' | 'requireToolApproval';

/** Whether what a call says asks for less than what the agent has. Functions are not asked: no request can hold one. */
type Loosens = (said: unknown, own: unknown) => boolean;

const removes: Loosens = (said, own) => isNothing(said) && !isNothing(own);

const isNothing = (guards: unknown): boolean => !guards || (Array.isArray(guards) && guards.length === 0);

const fromLoosest = {
  hold: ['none', 'step', 'run'] satisfies CallOptions['hold'][],
  kept: ['keep', 'user-only', 'placeholder', 'drop'] satisfies Persistence[keyof Persistence][],
};

const ranksBelow = (order: readonly unknown[], said: unknown, own: unknown): boolean => order.indexOf(said) < order.indexOf(own);

const keepsMore = (said: Persistence, own: Persistence = {}): boolean =>
  (Object.keys(said) as (keyof Persistence)[]).some((status) =>
    ranksBelow(fromLoosest.kept, said[status] ?? 'drop', own[status] ?? (status === 'suspended' ? 'keep' : 'drop')),
  );

const loosening: Readonly<Record<Tightenable, Loosens>> = {
  inputProcessors: removes,
  outputProcessors: removes,
  errorProcessors: removes,
  hold: (said, own) => ranksBelow(fromLoosest.hold, said, own ?? 'none'),
  persistence: (said, own) => keepsMore(said as Persistence, own as Persistence | undefined), // both were checked by then
  requireToolApproval: removes,
};

/**
 * Refuses what would loosen what the agent asks for, unless a function says it: data may have come with a request, whoever hands it on.
 * Raises `agent/loosened-option`.
 */
export const checkTightens = (given: CallOptions, { guards, defaults }: OwnOptions): void => {
  const own = { ...guards, ...defaults, persistence: { ...guards.persistence, ...defaults.persistence } };
  for (const path of Object.keys(loosening) as Tightenable[]) {
    const said: unknown = given[path];
    if (said === undefined || typeof said === 'function' || !loosening[path](said, own[path])) continue;
    throw new InterlockError('agent/loosened-option', { path });
  }
};
