import { setTimeout as sleep } from 'node:timers/promises';

import { startOpenAIServer, type ChatRequest, type OpenAIServer, type Reply } from '../src/testing/index.js';
import { checked, openSession, within } from './adapter.js';
import type { Guard, GuardRow, Host, Outcome, Reader, Session, Tool, Verdict } from './host.js';
import type { Mode, Scenario, Observation } from './scenario.js';

/** `error`: the adapter itself failed; such a cell says nothing about the host. */
export type CellStatus = 'holds' | 'fails' | 'no hook' | 'error';

/** The result of one scenario on one host in one mode. */
export interface Cell {
  readonly host: string;
  readonly scenario: string;
  readonly promise: Scenario['promise'];
  readonly mode: Mode | 'both';
  readonly status: CellStatus;
  /** The problem, or the hook that the host lacks. */
  readonly detail?: string;
}

/** A run that has not ended after this time is given up: soon where a guard hangs, else only when the machine cannot be that slow. */
const patienceMs = ({ guards }: Scenario, limitMs: number): number =>
  guards.some(({ decide }) => decide === 'hang') ? Math.min(2_500, limitMs) : limitMs;

interface Log {
  readonly effects: string[];
  readonly canceled: string[];
  judged: number;
}

const verdictOf = ({ decide, on, to = '' }: GuardRow, text: string): Verdict => {
  if (decide === 'edit') return { kind: 'edit', text: text.replaceAll(on, to) };
  if (decide === 'retry') return { kind: 'retry', feedback: 'say it better' };
  return { kind: 'block', reason: 'not allowed' };
};

const liveGuard = (row: GuardRow, id: string, log: Log): Guard => {
  let times = row.times ?? Infinity;
  const judge = async (text: string, signal?: AbortSignal): Promise<Verdict> => {
    log.judged += text.length;
    signal?.addEventListener('abort', () => log.canceled.push(id), { once: true });
    if (row.workMs) await sleep(row.workMs);
    if (!text.includes(row.on) || times <= 0) return { kind: 'pass' };
    times -= 1;
    if (row.decide === 'throw') throw new Error('the guard is out of order');
    if (row.decide === 'hang') return new Promise(() => {});
    return verdictOf(row, text);
  };
  return { ...row, id, judge };
};

const liveTool = (name: string, result: string, log: Log): Tool => ({
  name,
  run: async ({ text }) => {
    log.effects.push(`${name}(${text})`);
    return result;
  },
});

interface Screen extends Reader {
  readonly seen: () => Pick<Observation, 'streamed' | 'shown' | 'terminals'>;
}

const createScreen = (): Screen => {
  let streamed = '';
  let terminals = 0;
  let pieces: { part: string; text: string }[] = [];
  return {
    show: (text, part = '') => {
      streamed += text;
      pieces.push({ part, text });
    },
    also: (text) => {
      streamed += text;
    },
    withdraw: (part) => {
      pieces = part === undefined ? [] : pieces.filter((piece) => piece.part !== part);
    },
    end: () => {
      terminals += 1;
    },
    seen: () => ({ streamed, terminals, shown: pieces.map(({ text }) => text).join('') }),
  };
};

/** Hosts name the tool that calls a sub-agent in their own way: a call of `helper` goes to the offered tool with that word in its name. */
const named = (reply: Reply, { tools = [] }: ChatRequest): Reply => {
  if (reply.kind !== 'tool-calls') return reply;
  const calls = reply.calls.map((call) => {
    const offered =
      tools.find(({ function: it }) => it.name === call.name) ?? tools.find(({ function: it }) => it.name.includes(call.name));
    const { required = [] } = (offered?.function.parameters ?? {}) as { required?: string[] };
    if (!offered || required.includes('text')) return call;
    return { name: offered.function.name, args: Object.fromEntries(required.map((name) => [name, 'Go.'])) };
  });
  return { ...reply, calls };
};

const messagesOf = ({ requests }: OpenAIServer): string[] => requests.map(({ body }) => JSON.stringify(body.messages));

/** JSON of what a result holds, errors with their messages; cycles and accessors that fail are left out. */
const toJson = (value: unknown): string => {
  const around = new WeakSet<object>();
  const plain = (key: string, it: unknown): unknown => {
    if (typeof it === 'bigint' || typeof it === 'function') return String(it);
    if (typeof it !== 'object' || it === null) return it;
    if (around.has(it)) return undefined;
    around.add(it);
    if (it instanceof Error) return { ...Object.fromEntries(Object.entries(it)), message: it.message, cause: it.cause };
    return it instanceof Map ? [...it] : it;
  };
  try {
    return JSON.stringify(value, plain) ?? '';
  } catch (error) {
    return `not readable: ${String(error)}`;
  }
};

/** The outcome of one turn; a run that does not end in time is `hung`. */
const turn = async (
  run: (signal: AbortSignal) => Promise<Outcome>,
  screen: Screen,
  limitMs: number,
): Promise<Outcome | undefined> => {
  const give = new AbortController();
  const late = sleep(limitMs, undefined, { signal: give.signal }).catch(() => undefined);
  const outcome = await Promise.race([
    run(give.signal).catch((error: unknown): Outcome => {
      screen.end();
      return { ended: error instanceof Error && error.name === 'Blocked' ? 'blocked' : 'failed', answer: '', result: error };
    }),
    late,
  ]);
  give.abort();
  return outcome && checked(outcome);
};

interface Observed {
  readonly host: Host;
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly limitMs: number;
}

const observe = async ({ host, scenario, mode, limitMs }: Observed): Promise<Observation> => {
  const log: Log = { effects: [], canceled: [], judged: 0 };
  const { replies } = scenario;
  const reply = (request: ChatRequest, index: number) =>
    named(replies[Math.min(index, replies.length - 1)] ?? { kind: 'text', text: '' }, request);
  const server = await startOpenAIServer({ reply });
  try {
    const guards = scenario.guards.map((row, at) => liveGuard(row, `guard-${at + 1}`, log));
    const setup = {
      baseUrl: server.baseUrl,
      guards,
      tools: Object.entries(scenario.tools ?? {}).map(([name, result]) => liveTool(name, result, log)),
      retries: scenario.retries ?? 1,
      ...(scenario.childGuards && {
        child: { name: 'helper', guards: scenario.childGuards.map((row, at) => liveGuard(row, `child-${at + 1}`, log)) },
      }),
    };
    return await talk(await openSession(host, setup, limitMs), { scenario, mode, server, log, limitMs });
  } finally {
    await server.close();
  }
};

interface Talk {
  readonly scenario: Scenario;
  readonly mode: Mode;
  readonly server: OpenAIServer;
  readonly log: Log;
  readonly limitMs: number;
}

const talk = async (session: Session, { scenario, mode, server, log, limitMs }: Talk): Promise<Observation> => {
  let last: Outcome | undefined;
  let screen = createScreen();
  let streamed = '';
  const results: unknown[] = [];
  for (const prompt of scenario.turns ?? ['Hello.']) {
    screen = createScreen();
    last = await turn(
      (signal) => (mode === 'stream' ? session.stream(prompt, signal, screen) : session.generate(prompt, signal)),
      screen,
      patienceMs(scenario, limitMs),
    );
    streamed += screen.seen().streamed;
    results.push(last?.result);
  }
  const history = scenario.needsHistory ? toJson(await within(limitMs, 'history()', session.history())) : '';
  return {
    ...screen.seen(),
    streamed,
    history,
    ended: last?.ended ?? 'hung',
    answer: last?.answer ?? '',
    result: toJson(results),
    requests: messagesOf(server),
    effects: log.effects,
    judged: log.judged,
    canceled: log.canceled,
  };
};

/** Which part of a scenario the host has no documented hook for. */
const missingHook = ({ hooks, keeps, buffers, sideBySide }: Host, scenario: Scenario): string | undefined => {
  if (scenario.needsHistory && !keeps.history) return 'no stored conversation';
  if (scenario.childGuards && !keeps.subAgents) return 'no sub-agents with their own guards';
  const rows = [...scenario.guards, ...(scenario.childGuards ?? [])];
  if (scenario.promise === 'P8' && !sideBySide) return 'guards run sequentially';
  if (rows.some((row) => row.buffered) && !buffers) return 'no documented way to check whole values in a stream';
  for (const { at, decide } of rows) {
    const decisions = hooks[at];
    if (!decisions) return `no hook at ${at}`;
    if (decide !== 'throw' && decide !== 'hang' && !decisions.includes(decide)) return `a hook at ${at} cannot ${decide}`;
  }
  return undefined;
};

/** Plays a scenario on a host, in each of its modes. A run that takes longer than the limit is given up. */
export const play = async (host: Host, scenario: Scenario, limitMs = 15_000): Promise<Cell[]> => {
  const { id, promise, checks, equal, modes = ['generate', 'stream'] } = scenario;
  const cell = (mode: Cell['mode'], status: CellStatus, detail?: string): Cell => ({
    host: host.id,
    scenario: id,
    promise,
    mode,
    status,
    ...(detail && { detail }),
  });
  const missing = missingHook(host, scenario);
  if (missing) return [cell('both', 'no hook', missing)];
  const seen = new Map(
    await Promise.all(modes.map(async (mode) => [mode, await observe({ host, scenario, mode, limitMs })] as const)),
  );
  if (equal) {
    const [one, other] = [...seen.values()].map((it) => JSON.stringify(equal(it)));
    return [one === other ? cell('both', 'holds') : cell('both', 'fails', `generate: ${one}; stream: ${other}`)];
  }
  return [...seen].map(([mode, it]) => {
    const wrong = checks.flatMap((check) => check(it, mode) ?? []);
    return wrong.length > 0 ? cell(mode, 'fails', wrong.join('; ')) : cell(mode, 'holds');
  });
};
