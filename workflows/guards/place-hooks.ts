import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessorContext } from '@mastra/core/processors';
import { leavesOf } from '../../src/guard/map-texts.js';
import type { HookContext } from '../../src/phase/row.js';
import type { JudgePlace } from '../judge/policies.js';
import { newestUserTurn, textsOf, currentToolResult, responseMessages, textOf } from '../messages/read-messages.js';
import { unchanged, type GuardProcessor } from './guard-options.js';

/** The names of places in reasons. */
export const placeLabels: Readonly<Record<JudgePlace, string>> = {
  input: 'input',
  answer: 'answer',
  call: 'tool call',
  result: 'tool result',
};

export interface PlaceContext<Metadata> extends ProcessorContext<Metadata> {
  readonly messages?: MastraDBMessage[];
  readonly messageList?: { readonly get: { readonly all: { db(): MastraDBMessage[] } } };
}

type PlaceHooks<Metadata> = Omit<
  GuardProcessor<'processInput' | 'processOutputStream' | 'processOutputStep' | 'processToolResult', Metadata>,
  'id'
>;

/** The hooks of a guard that judges one text at a time; `judge` aborts for violations. */
export const placeHooks = <Metadata>(
  judge: (place: JudgePlace, text: string, args: PlaceContext<Metadata>) => Promise<void>,
): PlaceHooks<Metadata> => ({
  processInput: async (args) => {
    await judge('input', newestUserTurn(args.messages).flatMap(textsOf).join('\n'), args);
    return unchanged;
  },
  processOutputStream: async (args) => {
    const { part } = args;
    if (part.type === 'tool-call')
      await judge('call', JSON.stringify({ tool: part.payload.toolName, arguments: part.payload.args ?? {} }), args);
    if (isHeld(args) && (part.type === 'text-delta' || part.type === 'reasoning-delta'))
      await judge('answer', part.payload.text, args);
    return part;
  },
  processOutputStep: async (args) => {
    const newest = responseMessages(args.messages).slice(-1).map(textOf).join('\n');
    if (!isHeld(args)) await judge('answer', newest || (args.text ?? ''), args);
    return unchanged;
  },
  processToolResult: async (args) => {
    await judge('result', leavesOf(currentToolResult(args)).join('\n'), args);
    return undefined;
  },
});

/** Whether the host buffers text until its window was judged. Other hosts pass each delta, which would be a call each. */
export const isHeld = (args: object): boolean => (args as Partial<HookContext>).heedsRulings === true; // in addition to Mastra's own arguments
