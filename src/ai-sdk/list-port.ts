import type { LoopMessages } from '../loop/ports.js';
import type { Run as LoopRun } from '../loop/run.js';
import { answersIn, openConversation, type Conversation } from './conversation.js';
import type { Run } from './run.js';
import type { Prompt } from './spec.js';

/** The messages of one call, for the loop: each attempt starts with the prompt that the AI SDK would send. */
interface ListPort {
  readonly messages: LoopMessages;
  /** In its state in the current attempt. */
  readonly conversation: Conversation;
}

interface ListPortOptions {
  readonly loopOf: () => LoopRun;
  /** Called before the loop itself changes a message. */
  readonly onWrite?: () => void;
}

export const openListPort = (run: Run, prompt: Prompt, { loopOf, onWrite }: ListPortOptions): ListPort => {
  const { messages: host } = run.scope.host;
  const open = (): Conversation => openConversation(run, prompt, { answers: answersIn(run, prompt) });
  let conversation = open();
  let { recoveries } = run;
  const prompts = new Map<string, Prompt>();
  /** The prompt, with the edits of a guard that repeats a failed call. */
  const mended = (): Prompt => {
    if (loopOf().recoveries === recoveries) return prompt;
    return [...conversation.readSystem(), ...conversation.read()] as Prompt; // made of a prompt
  };
  const messages: LoopMessages = {
    addResponse: (list, message) => {
      const last = host.read(list, 'all').at(-1)?.createdAt.getTime() ?? 0; // lists sort by time
      const createdAt = new Date(Math.max(message.createdAt.getTime(), last + 1));
      list.add({ ...message, createdAt }, 'response', { merge: false });
    },
    setToolOutcome: (list, call, outcome) => {
      if (outcome.kind !== 'result') return;
      onWrite?.();
      host.writeToolResult(list, call, outcome.result);
    },
    addData: () => undefined, // the AI SDK runs the tools
    checkpoint: () => ({ messages: [] }), // the prompt is the only state to restore
    detached: (list) => list, // it is not used any more
    restore: () => {
      conversation = open();
      ({ recoveries } = loopOf());
      return conversation.list;
    },
    writeTagged: (_list, tag, tagged) => void prompts.set(tag, [...tagged] as Prompt), // system messages of the loop's own
    toPrompt: () => withSystem(mended(), [...prompts.values()].flat()) as never, // Mastra types a prompt by an older specification
  };
  return {
    messages,
    get conversation() {
      return conversation;
    },
  };
};

/** After the other system messages, because most models accept them only at the start. */
const withSystem = (prompt: Prompt, added: Prompt): Prompt => {
  if (added.length === 0) return prompt;
  const at = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(at === -1 ? prompt.length : at, 0, ...added);
};
