import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessorContext } from '@mastra/core/processors';
import { leavesOf } from '../../src/guard/map-texts.js';
import type { HookContext } from '../../src/phase/row.js';
import type { JudgePlace } from '../judge/policies.js';
import { answerOf, currentToolResult, newestUserTurn, textsOf } from '../messages/read-messages.js';
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

/**
 * The hooks of a guard that judges one text at a time; `judge` aborts for violations. With `every` above 1 only each of so many steps is
 * judged: after its stream, whose hook has no number of the step.
 */
export const placeHooks = <Metadata>(
  judge: (place: JudgePlace, text: string, args: PlaceContext<Metadata>) => Promise<void>,
  every = 1,
): PlaceHooks<Metadata> => ({
  processInput: async (args) => {
    await judge('input', newestUserTurn(args.messages).flatMap(textsOf).join('\n'), args);
    return unchanged;
  },
  processOutputStream: async (args) => {
    const { part } = args;
    if (every > 1) return part;
    if (part.type === 'tool-call') await judge('call', callText(part.payload), args);
    if (heedsRulings(args) && (part.type === 'text-delta' || part.type === 'reasoning-delta'))
      await judge('answer', part.payload.text, args);
    return part;
  },
  processOutputStep: async (args) => {
    if (every > 1 ? !isDue(args, every) : heedsRulings(args)) return unchanged;
    await judge('answer', answerOf(args), args);
    for (const call of every > 1 ? (args.toolCalls ?? []) : []) await judge('call', callText(call), args);
    return unchanged;
  },
  processToolResult: async (args) => {
    if (isDue(args, every)) await judge('result', leavesOf(currentToolResult(args)).join('\n'), args);
    return undefined;
  },
});

const callText = ({ toolName, args }: { toolName: string; args?: unknown }): string =>
  JSON.stringify({ tool: toolName, arguments: args ?? {} });

const isDue = ({ stepNumber }: { stepNumber: number }, every: number): boolean => (stepNumber + 1) % every === 0;

/**
 * Whether the host rejects a call, or asks for approval, on a stream guard's decision, and buffers text until its window was judged. Other
 * hosts pass each delta, which would be a call each.
 */
export const heedsRulings = (args: object): boolean => (args as Partial<HookContext>).heedsRulings === true; // in addition to Mastra's own arguments
