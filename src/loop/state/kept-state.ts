import { InterlockError } from '../../errors.js';
import type { ModelEntry, Standing, StepSettings } from '../ports.js';
import type { Attempt, Run } from '../run.js';
import { readState, writeState, type RunState } from './run-state.js';
import type { AttemptState } from './attempt-state.js';
import { applyPatch, diff, type Patch } from './patch.js';

/** How the conversation stood earlier; most of it stands in the conversation as it is. */
const standingNames = ['start', 'firstStep', 'acceptedInput'] as const;
type StandingName = (typeof standingNames)[number];

/**
 * A run's state as data alone: tools and models, which are code, are told by their names and places, and earlier states of the
 * conversation by what leads to them from the last.
 */
export interface KeptState
  extends
    Omit<RunState, 'attempt' | StandingName>,
    Readonly<Record<StandingName, { readonly from: Patch | undefined } | undefined>> {
  readonly attempt: KeptAttempt | undefined;
}

type KeptAttempt = Omit<AttemptState, 'settings' | 'entry'> & {
  /** Settings that are not those of the call. */
  readonly settings: Partial<Omit<StepSettings, 'tools'>> & { readonly tools?: readonly string[] };
  /** The place of its model among the agent's. */
  readonly entry: number;
};

/** A run as it is now, as data. Raises `durable/unkept-value` for a tool that a guard has put in. */
export const keptState = (run: Run): KeptState => {
  const { attempt, ...state } = readState(run);
  const standing = (name: StandingName) => state[name] && { from: diff(state.list, state[name]) };
  return { ...state, ...eachStanding(standing), attempt: attempt && keptAttempt(run, attempt) };
};

const eachStanding = <T>(make: (name: StandingName) => T): Record<StandingName, T> =>
  Object.fromEntries(standingNames.map((name) => [name, make(name)])) as Record<StandingName, T>; // built name by name

const keptAttempt = (run: Run, { settings, entry, ...attempt }: AttemptState): KeptAttempt => ({
  ...attempt,
  settings: ownSettings(settings, run.options.settings),
  entry: Math.max(placeOf(run, entry), 0), // what another model was for is done, see mayBeKept
});

const placeOf = ({ options: { ports } }: Run, entry: ModelEntry): number => ports.models.indexOf(entry);

const ownSettings = (settings: StepSettings, called: StepSettings): KeptAttempt['settings'] => {
  const own = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== called[name as keyof StepSettings]),
  ) as Partial<StepSettings>;
  const { tools, ...others } = own;
  return tools ? { ...others, tools: namesOf(tools, called.tools) } : others;
};

const namesOf = (tools: Readonly<Record<string, unknown>>, called: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.keys(tools).map((name) => {
    if (tools[name] !== called[name])
      throw new InterlockError('durable/unkept-value', { path: `tools.${name}`, detail: 'a guard put this tool in for a step.' });
    return name;
  });

/** Makes a run that has not begun what kept data tells. */
export const writeKept = (run: Run, { attempt, ...state }: KeptState): void => {
  const standing = (name: StandingName): Standing | undefined => {
    const kept = state[name];
    return kept?.from ? (applyPatch(state.list, kept.from) as Standing) : kept && state.list; // made from one
  };
  writeState(run, { ...state, ...eachStanding(standing), attempt: attempt && revived(run, attempt) });
};

const revived = ({ options }: Run, { settings, entry, ...attempt }: KeptAttempt): AttemptState => {
  const { tools: names, ...own } = settings;
  const called = options.settings;
  const tools = names && Object.fromEntries(names.map((name) => [name, called.tools?.[name]]));
  return {
    ...attempt,
    settings: { ...called, ...own, ...(tools && { tools }) },
    entry: options.ports.models[entry] as ModelEntry, // the agent's models are those that the run began with
  };
};

/**
 * Whether everything that the run goes on with is data: no guard has yet to judge beside the model, no call is under way or about
 * to be made, no failure of a model waits to be seen to, and the answer of a model that a guard chose is in the record.
 */
export const mayBeKept = (run: Run): boolean => {
  const { attempt, beside, error } = run;
  if (beside.length > 0 || error !== undefined) return false;
  return !attempt || !(attempt.ahead || attempt.prompt || awaitsForeignModel(run, attempt));
};

const awaitsForeignModel = (run: Run, { entry, record }: Attempt): boolean => !record && placeOf(run, entry) === -1;
