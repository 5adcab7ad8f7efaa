import type { Reply } from '../src/testing/index.js';
import type { At, Decision, GuardRow, Outcome } from './host.js';

export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'P9' | 'P10' | 'P12';
export type Mode = 'generate' | 'stream';

/** Observations of one run, from every exit. Texts are searched with `includes`. */
export interface Observation {
  /** Of the last turn. `hung`: the run did not end in time. */
  readonly ended: Outcome['ended'] | 'hung';
  /** Of the last turn. */
  readonly answer: string;
  /** The results of all turns, as JSON. */
  readonly result: string;
  /** Every character that reached the reader of a stream: text, reasoning and tool input. */
  readonly streamed: string;
  /** The text that the reader shows at the end, after what the host withdrew. */
  readonly shown: string;
  /** How many events said that the run is over, in the last turn. */
  readonly terminals: number;
  /** The messages of each request that reached the provider, as JSON. */
  readonly requests: readonly string[];
  /** `name(text)` of each tool call that ran. */
  readonly effects: readonly string[];
  /** The history that the host keeps for the next turn, as JSON. */
  readonly history: string;
  /** Characters that guards were given, over all calls. */
  readonly judged: number;
  /** Ids of the guards whose signal was aborted because their verdict is no longer needed. */
  readonly canceled: readonly string[];
}

/** An invariant: what is wrong with a run, or nothing. */
export type Check = (observation: Observation, mode: Mode) => string | undefined;

export interface Scenario {
  readonly id: string;
  readonly promise: Promised;
  readonly title: string;
  /** The replies of the model, request by request; the last one is repeated. */
  readonly replies: readonly Reply[];
  /** The messages of the user, turn by turn. Default: one turn, `Hello.`. */
  readonly turns?: readonly string[];
  readonly tools?: Readonly<Record<string, string>>;
  readonly guards: readonly GuardRow[];
  readonly childGuards?: readonly GuardRow[];
  /** Default 1. */
  readonly retries?: number;
  /** Default: both. */
  readonly modes?: readonly Mode[];
  /** Does it look at the kept conversation? */
  readonly needsHistory?: boolean;
  readonly checks: readonly Check[];
  /** For a promise about two modes: what must be equal in both. */
  readonly equal?: (observation: Observation) => unknown;
}

const exits = ['answer', 'result', 'streamed', 'shown', 'history'] as const;
type Exit = (typeof exits)[number];

/** `word` is at none of these exits. */
export const absent =
  (word: string, ...places: readonly Exit[]): Check =>
  (observation) => {
    const found = places.filter((exit) => observation[exit].includes(word));
    return found.length > 0 ? `"${word}" is in: ${found.join(', ')}` : undefined;
  };

/** `word` is at no exit that a caller, a reader or a later turn sees. */
export const absentEverywhere = (word: string): Check => absent(word, ...exits);

/** `word` is in no request to the provider; with `from`, in none from that one on. */
export const notSent =
  (word: string, from = 0): Check =>
  ({ requests }) => {
    const found = requests.findIndex((request, at) => at >= from && request.includes(word));
    return found < 0 ? undefined : `"${word}" is in request ${found + 1} to the provider`;
  };

export const sent =
  (word: string): Check =>
  ({ requests }) =>
    requests.some((request) => request.includes(word)) ? undefined : `"${word}" is in no request to the provider`;

export const requestsAtMost =
  (most: number): Check =>
  ({ requests }) =>
    requests.length > most ? `${requests.length} requests to the provider, at most ${most} are allowed` : undefined;

export const noEffect =
  (tool: string): Check =>
  ({ effects }) => {
    const ran = effects.filter((effect) => effect.startsWith(`${tool}(`));
    return ran.length > 0 ? `the tool ran: ${ran.join(', ')}` : undefined;
  };

export const effectsAre =
  (...expected: readonly string[]): Check =>
  ({ effects }) =>
    effects.join() === expected.join()
      ? undefined
      : `tools ran: ${effects.join(', ') || 'none'}; expected: ${expected.join(', ') || 'none'}`;

export const endedAs =
  (...expected: readonly Observation['ended'][]): Check =>
  ({ ended }) =>
    expected.includes(ended) ? undefined : `the run ended as ${ended}, not as ${expected.join(' or ')}`;

export const answers =
  (word: string): Check =>
  ({ answer, shown }, mode) => {
    const text = mode === 'stream' ? shown : answer;
    return text.includes(word)
      ? undefined
      : `the ${mode === 'stream' ? 'stream' : 'answer'} lacks "${word}": ${JSON.stringify(text.slice(0, 80))}`;
  };

export const oneEnd: Check = ({ terminals }, mode) =>
  mode === 'generate' || terminals === 1 ? undefined : `${terminals} events say that the run is over`;

/** A guard that decides when it reads `on`. */
export const guard = (
  at: At,
  decide: Decision,
  ...[on = '', more = {}]: readonly [on?: string, more?: Partial<GuardRow>]
): GuardRow => ({
  at,
  decide,
  on,
  ...more,
});

export const textReply = (text: string, chunks?: number | readonly string[]): Reply => ({
  kind: 'text',
  text,
  ...(chunks && { chunks }),
});
export const calls = (...given: readonly (readonly [tool: string, text: string])[]): Reply => ({
  kind: 'tool-calls',
  calls: given.map(([name, text]) => ({ name, args: { text } })),
});
