import type { Chunk } from '../../loop/ports.js';
import { refusalOf, type RefusedBecause } from './refusal.js';

/** A generated answer, as far as it is looked at. */
interface Answer {
  readonly tripwire?: RefusedBecause | undefined;
}

/** A streamed answer, as far as it is looked at. */
interface StreamedAnswer extends Answer {
  readonly fullStream: unknown;
}

/**
 * Whether a call comes from a supervisor: Mastra's tool for a sub-agent marks each of its calls with this policy, and nobody else
 * is meant to.
 */
export const isDelegated = (options: unknown): boolean =>
  (options as { backgroundTaskPolicy?: { allowDelegationDispatch?: unknown } } | undefined)?.backgroundTaskPolicy
    ?.allowDelegationDispatch === false;

/** The answer to a supervisor's call. Raises `agent/refused` where a guard stopped it. */
export const refusingAnswer = <T>(agentId: string, answer: T): T => {
  const { tripwire } = answer as Answer;
  if (tripwire) throw refusalOf(agentId, tripwire);
  return answer;
};

/**
 * The streamed answer to a supervisor's call. Where a guard stopped it, its full stream takes back what had left and ends with
 * `agent/refused`.
 */
export const refusingStream = <T extends object>(agentId: string, stream: T): T =>
  withStandIns(stream, {
    fullStream: (answer) => ReadableStream.from(refusing(agentId, answer as unknown as StreamedAnswer)),
  });

async function* refusing(agentId: string, answer: StreamedAnswer): AsyncGenerator<Chunk> {
  const out = createLetOut();
  for await (const chunk of answer.fullStream as AsyncIterable<Chunk>) {
    out.note(chunk);
    yield chunk;
  }
  if (!answer.tripwire) return;
  const { partIds, stepNumber } = out;
  // A host without retractions has let words out that its guards then stopped. It does not say which attempt they were of.
  if (partIds.size > 0) yield { type: 'data-interlock-retract', data: { attempt: 1, stepNumber, partIds: [...partIds] } };
  throw refusalOf(agentId, answer.tripwire);
}

/** Which parts have left a stream and were not taken back. */
const createLetOut = () => {
  const partIds = new Set<string>();
  let steps = 0;
  return {
    partIds,
    get stepNumber() {
      return Math.max(0, steps - 1);
    },
    note: ({ type, payload, data }: Chunk): void => {
      if (type === 'step-start') steps += 1;
      if (type === 'data-interlock-retract') for (const id of (data as { partIds: string[] }).partIds) partIds.delete(id);
      const { id } = (payload ?? {}) as { id?: string };
      if (id !== undefined && /^(text|reasoning)-/.test(type)) partIds.add(id);
    },
  };
};

type StandIns<T> = Readonly<Record<string, (target: T) => unknown>>;

/** The same object, some of whose properties are read from stand-ins; whatever it keeps in private fields stays reachable. */
export const withStandIns = <T extends object>(object: T, standIns: StandIns<T>): T =>
  new Proxy(object, {
    get: (target, name) => {
      const standIn = typeof name === 'string' && Object.hasOwn(standIns, name) ? standIns[name] : undefined;
      if (standIn) return standIn(target);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
