import { createInterface } from 'node:readline';

import type { MastraDBMessage } from '@mastra/core/agent/message-list';

import type { RunStatus } from '../../src/index.js';
import { readCommandLine, usage, type Command } from './command-line.js';
import { openModel } from './open-model.js';
import { printEvents, printTurn } from './print-turn.js';
import { readProvider } from './provider.js';
import { createOrderStore } from './shop/order-store.js';
import { createSupportAgent, type SupportAgent } from './shop/support-agent.js';

/** The surroundings of the program. Tests pass their own. */
export interface ChatIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: Pick<NodeJS.WritableStream, 'write'>;
  readonly errors: Pick<NodeJS.WritableStream, 'write'>;
  /** Calls the listener on each Ctrl+C, until the returned function is called. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** Runs one turn to its end. */
type RunTurn = (text: string, signal: AbortSignal) => Promise<RunStatus>;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** A conversation. Only accepted turns stay in it: a blocked, failed or canceled turn leaves no message. */
const createConversation = (agent: SupportAgent, json: boolean, { output, errors }: ChatIo): RunTurn => {
  let accepted: MastraDBMessage[] = [];
  const write = (text: string): void => void output.write(text);
  return async (text, abortSignal) => {
    const printer = json ? printEvents(write, (line) => void errors.write(line)) : printTurn(write);
    try {
      const messages = [...accepted, { role: 'user' as const, content: text }];
      const stream = await agent.stream(messages, { abortSignal, onRunEvent: printer.event });
      for await (const chunk of stream.fullStream) printer.chunk(chunk);
      const status = stream.status as RunStatus; // the stream is over, so the run is over too
      if (status === 'success') accepted = (await stream.getFullOutput()).messages;
      printer.end(stream.error);
      return status;
    } catch (error) {
      printer.end(asError(error));
      return 'failed';
    }
  };
};

const exitCodes: Readonly<Record<RunStatus, number>> = { success: 0, tripwire: 2, failed: 1, canceled: 130, suspended: 1 };

/** Runs one turn that Ctrl+C cancels. */
const cancelable = async (runTurn: RunTurn, text: string, { onInterrupt }: ChatIo): Promise<RunStatus> => {
  const controller = new AbortController();
  const stop = onInterrupt(() => controller.abort(new Error('Interrupted.')));
  return runTurn(text, controller.signal).finally(stop);
};

/** Runs a turn for each line. Ctrl+C cancels a turn, and ends the chat between turns. */
const chat = async (runTurn: RunTurn, prompt: (line?: string) => void, io: ChatIo): Promise<number> => {
  const lines = createInterface({ input: io.input, terminal: false });
  let isTurn = false;
  const stop = io.onInterrupt(() => {
    if (!isTurn) lines.close();
  });
  prompt();
  for await (const line of lines) {
    prompt(line);
    if (line.trim() === '/exit') break;
    isTurn = true;
    if (line.trim() !== '') await cancelable(runTurn, line.trim(), io);
    isTurn = false;
    prompt();
  }
  stop();
  lines.close();
  return 0;
};

/** Prints the prompt at a terminal; from a pipe, prints each line with the prompt before it. */
const promptFor = ({ input, output, errors }: ChatIo, json: boolean): ((line?: string) => void) => {
  const write = (text: string): void => void (json ? errors : output).write(text);
  if (input.isTTY) return (line) => (line === undefined ? write('\nyou › ') : undefined);
  return (line) => (line === undefined ? undefined : write(`\nyou › ${line}\n`));
};

type Started = Extract<Command, { kind: 'chat' | 'once' }>;

const start = async (command: Started, opened: Awaited<ReturnType<typeof openModel>>, io: ChatIo): Promise<number> => {
  const { model, name } = opened;
  const responder = 'No provider is configured. An embedded local responder answers instead of a language model (see --help).';
  if (!command.json) io.output.write(`${name === undefined ? responder : `Model: ${name}`}\n\n`);
  const runTurn = createConversation(createSupportAgent(model, createOrderStore()), command.json, io);
  if (command.kind === 'once') return exitCodes[await cancelable(runTurn, command.text, io)];
  return chat(runTurn, promptFor(io, command.json), io);
};

/** Runs the program and returns its exit code. */
export const runChat = async (args: readonly string[], io: ChatIo): Promise<number> => {
  const fail = (reason: string): number => {
    io.errors.write(`${reason}\n`);
    return 1;
  };
  const command = readCommandLine(args);
  if (command.kind === 'wrong') return fail(command.message);
  if (command.kind === 'help') {
    io.output.write(`${usage}\n`);
    return 0;
  }
  const provider = readProvider(io.env);
  if (provider.kind === 'wrong') return fail(provider.message);
  const opened = await openModel(provider);
  try {
    return await start(command, opened, io);
  } finally {
    await opened.close();
  }
};
