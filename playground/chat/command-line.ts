import { parseArgs } from 'node:util';

/** The command of the arguments. */
export type Command =
  | { readonly kind: 'chat'; readonly json: boolean }
  | { readonly kind: 'once'; readonly json: boolean; readonly text: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const usage = `Chat with a sample support agent whose input and output are guarded.

  npm run chat                     Starts a chat. Reads piped input by line.
  npm run chat -- --once "text"    Runs one turn.

  --once <text>   Runs one turn and exits: 0 success, 2 tripwire, 1 failure,
                  130 canceled.
  --json          Prints only run events, as JSON lines, on stdout. Use npm's
                  --silent option, as in
                  npm run --silent chat -- --once "text" --json
  --help          Prints this help.

Environment variables select the model. If none is set, an embedded local
responder answers:

  INTERLOCK_MODEL      A model id. Without INTERLOCK_BASE_URL, an id of Mastra's
                       model router, such as openai/gpt-4.1-mini; also set the
                       key variable of its provider.
  INTERLOCK_BASE_URL   Any OpenAI-compatible endpoint, such as
                       http://127.0.0.1:11434/v1.
  INTERLOCK_API_KEY    The API key, if the endpoint requires one.`;

const options = {
  once: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Reads the arguments after the program's name. */
export const readCommandLine = (args: readonly string[]): Command => {
  try {
    const { values } = parseArgs({ args: [...args], options });
    const { once, json, help } = values;
    if (help) return { kind: 'help' };
    if (once === undefined) return { kind: 'chat', json };
    if (once.trim() === '') return { kind: 'wrong', message: '--once needs a text, as in --once "Where is my order 1042?".' };
    return { kind: 'once', json, text: once };
  } catch (error) {
    return { kind: 'wrong', message: `${firstSentence(error)} See --help.` };
  }
};

/** Node's message continues with advice about positional arguments, which the chat does not have. */
const firstSentence = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return `${message.split(/\.\s/)[0]?.replace(/\.$/, '') ?? message}.`;
};
