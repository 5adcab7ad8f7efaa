/** The places at which a guard judges. */
export const places = ['input', 'request', 'stream', 'step', 'toolCall', 'toolResult', 'answer'] as const;
export type At = (typeof places)[number];

/** The reaction of a guard to its word: a verdict, or a failure of the guard itself. */
export const decisions = ['edit', 'block', 'retry', 'throw', 'hang'] as const;
export type Decision = (typeof decisions)[number];

/** A guard as data. It judges each text that its place gives it, and decides when the text contains `on`. */
export interface GuardRow {
  readonly at: At;
  readonly decide: Decision;
  /** The word it looks for; the empty string is in every text. */
  readonly on: string;
  /** For `edit`: what the word becomes. */
  readonly to?: string;
  /** Runs side by side with the guards of the same group, where the host can do that. */
  readonly group?: string;
  /** Decides so often, then passes. Default: always. */
  readonly times?: number;
  /** For `stream`: the host's documented means to judge whole values instead of single deltas. */
  readonly buffered?: boolean;
  /** Milliseconds of work before the verdict. Default 0. */
  readonly workMs?: number;
}

export type Verdict =
  | { readonly kind: 'pass' }
  | { readonly kind: 'edit'; readonly text: string }
  | { readonly kind: 'block'; readonly reason: string }
  | { readonly kind: 'retry'; readonly feedback: string };

/** A guard that runs. Each host has the same one; an adapter only carries the verdict out. */
export interface Guard extends GuardRow {
  readonly id: string;
  /** Rejects where the row says `throw`, and stays pending where it says `hang`. `signal` tells that the verdict is no longer needed. */
  readonly judge: (text: string, signal?: AbortSignal) => Promise<Verdict>;
}

/** A tool that runs: it records its arguments, and answers with a fixed text. */
export interface Tool {
  readonly name: string;
  /** One string argument, `text`. */
  readonly run: (args: { readonly text: string }) => Promise<string>;
}

export interface Setup {
  /** An OpenAI-compatible endpoint. */
  readonly baseUrl: string;
  readonly guards: readonly Guard[];
  readonly tools: readonly Tool[];
  /** How many retries guards may ask for in one run. */
  readonly retries: number;
  /** A sub-agent that the agent can call as a tool; it takes one string. */
  readonly child?: { readonly name: string; readonly guards: readonly Guard[] };
}

/** The outcome of one run, as its caller saw it. */
export interface Outcome {
  /** `blocked`: the host says that a guard stopped the run. `failed`: an error, or a thrown exception that is no verdict. */
  readonly ended: 'completed' | 'blocked' | 'failed';
  /** The text of the result; empty where there is none. */
  readonly answer: string;
  /** Everything else that the result gives its caller: steps, messages, errors. It is searched as JSON. */
  readonly result: unknown;
}

/** Receives a stream as it arrives, so that a stream that never ends is observed, too. */
export interface Reader {
  /** A piece of the answer's text. `part` names what can be withdrawn together. */
  readonly show: (text: string, part?: string) => void;
  /** Output other than text that reached the reader: reasoning, or the input of a tool. */
  readonly also: (text: string) => void;
  /** The host withdrew a part, or with no name all that it showed. */
  readonly withdraw: (part?: string) => void;
  /** An event that says that the run is over. An exception that the reader gets is one. */
  readonly end: () => void;
}

/** One conversation with one agent. */
export interface Session {
  readonly generate: (prompt: string, signal: AbortSignal) => Promise<Outcome>;
  readonly stream: (prompt: string, signal: AbortSignal, reader: Reader) => Promise<Outcome>;
  /** The history that the host kept for the next turn. Searched as JSON. */
  readonly history: () => Promise<unknown>;
}

/** An agent host, configured as its own documentation recommends. */
export interface Host {
  readonly id: string;
  readonly name: string;
  /** The npm packages whose versions are printed. */
  readonly packages: readonly string[];
  /** Pages of the host's documentation that the adapter follows. */
  readonly docs: readonly string[];
  /** The hooks that the host documents, and the verdicts that each can carry out. A guard can fail at every hook. */
  readonly hooks: Partial<Readonly<Record<At, readonly Decision[]>>>;
  /** Can a stream guard judge whole values by a documented means? */
  readonly buffers?: boolean;
  /** Can guards judge the same thing side by side? */
  readonly sideBySide?: boolean;
  /** Does it keep a conversation, and call sub-agents? */
  readonly keeps: { readonly history: boolean; readonly subAgents: boolean };
  readonly open: (setup: Setup) => Session | Promise<Session>;
}

/** A guard's verdict that stops the run, for hosts where a guard stops a run by an exception. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
}

/** A message for the person at the terminal, with a code for programs. */
export class UsageError extends Error {
  readonly code: `scorecard/${string}`;
  constructor(code: `scorecard/${string}`, message: string) {
    super(message);
    this.code = code;
  }
}
