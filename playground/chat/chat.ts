import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

import type { MastraDBMessage } from '@mastra/core/agent/message-list';

import type { RunEvent, RunStatus } from '../../src/index.js';
import { openModel, readProvider } from '../samples/model.js';
import { createOrderStore } from '../samples/shop/order-store.js';
import { createSupportAgent, type SupportAgent } from '../samples/shop/support-agent.js';
import { oneLine, printTurn } from './print-turn.js';

const usage = `Chat with a sample support agent whose input and output are guarded.

  npm run chat                     Starts a chat. Reads piped input by line.
  npm run chat -- --once "text"    Runs one turn.

  --once <text>   Runs one turn and exits: 0 success, 2 tripwire, 1 failure,
                  130 canceled.
  --json          Prints only run events, as JSON lines, on stdout. Use npm's
                  --silent option, as in
                  npm run --silent chat -- --once "text" --json
  --help          Prints this help.

INTERLOCK_MODEL, INTERLOCK_BASE_URL and INTERLOCK_API_KEY select the model, see
README.md. If none is set, an embedded local responder answers.`;

/** The surroundings of the program. Tests pass their own. */
export interface ChatIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: Pick<NodeJS.WritableStream, 'write'>;
  readonly errors: Pick<NodeJS.WritableStream, 'write'>;
  /** Calls the listener on each Ctrl+C, until the returned function is called. */
  readonly onInterrupt: (listener: () => void) => () => void;
}

/** Runs one turn, which Ctrl+C cancels, to its end. */
type RunTurn = (text: string) => Promise<RunStatus>;

/** A conversation. Only accepted turns stay in it: a blocked, failed or canceled turn leaves no message. */
const createConversation = (agent: SupportAgent, json: boolean, { output, errors, onInterrupt }: ChatIo): RunTurn => {
  let accepted: MastraDBMessage[] = [];
  return async (text) => {
    const events: RunEvent[] = [];
    const printer = json ? undefined : printTurn({ write: (piece) => output.write(piece) }, events);
    const onRunEvent = (event: RunEvent): void => {
      events.push(event);
      if (json) output.write(`${JSON.stringify(event)}\n`);
    };
    const controller = new AbortController();
    const stop = onInterrupt(() => controller.abort(new Error('Interrupted.')));
    try {
      const messages = [...accepted, { role: 'user' as const, content: text }];
      const stream = await agent.stream(messages, { abortSignal: controller.signal, onRunEvent });
      for await (const chunk of stream.fullStream) printer?.chunk(chunk);
      if (stream.status === 'success') accepted = (await stream.getFullOutput()).messages;
      printer?.end();
      return stream.status as RunStatus; // the stream is over, so the run is over too
    } catch (error) {
      errors.write(`${oneLine(String(error))}\n`); // the call failed before the run started
      return 'failed';
    } finally {
      stop();
    }
  };
};

/** Runs a turn for each line. Ctrl+C between turns ends the chat. A terminal gets a prompt; a pipe gets each line repeated. */
const chat = async (runTurn: RunTurn, json: boolean, { input, output, errors, onInterrupt }: ChatIo): Promise<void> => {
  const lines = createInterface({ input, terminal: false });
  const prompt = (line = ''): void => void (json ? errors : output).write(`\nyou › ${line}${input.isTTY ? '' : '\n'}`);
  let isTurn = false;
  const stop = onInterrupt(() => {
    if (!isTurn) lines.close();
  });
  if (input.isTTY) prompt();
  for await (const line of lines) {
    if (!input.isTTY) prompt(line);
    if (line.trim() === '/exit') break;
    isTurn = true;
    if (line.trim() !== '') await runTurn(line.trim());
    isTurn = false;
    if (input.isTTY) prompt();
  }
  stop();
  lines.close();
};

const exitCodes: Readonly<Record<RunStatus, number>> = { success: 0, tripwire: 2, failed: 1, canceled: 130, suspended: 1 };

const options = {
  once: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The options of the command line, or a sentence about the mistake in it. */
const readArguments = (args: readonly string[]) => {
  try {
    const { values } = parseArgs({ args: [...args], options });
    return values.once?.trim() === '' ? '--once needs a text, as in --once "Where is my order 1042?".' : values;
  } catch (error) {
    // The first sentence: Node's message continues with advice about positional arguments, which the chat does not have.
    return `${(error as Error).message.split(/\.(?:\s|$)/)[0]}. See --help.`;
  }
};

/** Runs the program and returns its exit code. */
export const runChat = async (args: readonly string[], io: ChatIo): Promise<number> => {
  const fail = (reason: string): number => {
    io.errors.write(`${reason}\n`);
    return 1;
  };
  const values = readArguments(args);
  if (typeof values === 'string') return fail(values);
  const { once, json, help } = values;
  if (help) {
    io.output.write(`${usage}\n`);
    return 0;
  }
  const provider = readProvider(io.env);
  if (provider.kind === 'wrong') return fail(provider.message);
  const { model, name, close } = await openModel(provider);
  try {
    const responder = 'No provider is configured. An embedded local responder answers instead of a language model (see --help).';
    if (!json) io.output.write(`${name === undefined ? responder : `Model: ${name}`}\n\n`);
    const runTurn = createConversation(createSupportAgent(model, createOrderStore()), json, io);
    if (once !== undefined) return exitCodes[await runTurn(once)];
    await chat(runTurn, json, io);
    return 0;
  } finally {
    await close();
  }
};
