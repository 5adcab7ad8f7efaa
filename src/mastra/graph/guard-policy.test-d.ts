import type {
  InputProcessor,
  OutputProcessor,
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessOutputStreamArgs,
  Processor,
} from '@mastra/core/processors';
import { expectTypeOf } from 'vitest';
import { Agent } from '@mastra/core/agent';
import { guard } from './guard-policy.js';
import { pipeline } from '../workflow/pipeline.js';

const judge = { id: 'judge', processInput: ({ abort }: ProcessInputArgs) => void abort('bad') };
const asyncJudge = { id: 'judge', processInput: async () => undefined };
const stepJudge = {
  id: 'judge',
  processInputStep: () => undefined,
  processOutputStream: async ({ part }: ProcessOutputStreamArgs) => part,
};
const blocker = { id: 'blocker', processInput: ({ abort }: ProcessInputArgs) => abort('bad') };
const editor = { id: 'editor', processInput: ({ messages }: ProcessInputArgs) => messages };
const asyncEditor = { id: 'editor', processInput: async ({ messages }: ProcessInputArgs) => messages };
const sometimes = {
  id: 'editor',
  processInputStep: ({ messages }: ProcessInputStepArgs) => (messages.length > 1 ? { messages } : undefined),
};
const rewriter = { id: 'rewriter', processLLMRequest: ({ prompt }: ProcessLLMRequestArgs) => ({ prompt }) };

// A guard that only judges its input may overlap the model call. It may still edit the output.
guard(judge, { overlap: true });
guard(asyncJudge, { overlap: true, deadlineMs: 5 });
guard(stepJudge, { overlap: true });
guard(blocker, { overlap: true });

// A guard that may edit its input cannot overlap, nor can one with an unspecific type.
// @ts-expect-error it returns messages
guard(editor, { overlap: true });
// @ts-expect-error it returns messages later
guard(asyncEditor, { overlap: true });
// @ts-expect-error it may return messages
guard(sometimes, { overlap: true });
// @ts-expect-error it returns a prompt
guard(rewriter, { overlap: true });
// @ts-expect-error a processor of any kind
guard({} as Processor, { overlap: true });

guard(editor, { overlap: false });
guard(editor, { window: 'sentence' });
guard(editor, { window: { chars: 200 } });
// @ts-expect-error there is no such option
guard(editor, { timeoutMs: 5 });
// @ts-expect-error there is no such window
guard(editor, { window: 'word' });

// A guard is accepted wherever its processor is, and may be asynchronous.
const guarded = guard(editor, { deadlineMs: 5 });
expectTypeOf(guarded.id).toEqualTypeOf<string>();
expectTypeOf(guarded).toExtend<InputProcessor>();
expectTypeOf(guard({ id: 'out', processOutputStep: () => [] }, {})).toExtend<OutputProcessor>();
expectTypeOf(guard({} as Processor, {})).toExtend<Processor>();
expectTypeOf(guard(guarded, { onUnavailable: 'pass' })).toExtend<InputProcessor>();

export const places = [
  pipeline('p')
    .then(guarded)
    .parallel([guard(judge, { overlap: true })]),
  new Agent({
    id: 'a',
    name: 'A',
    instructions: '',
    model: 'openai/gpt-5',
    inputProcessors: [guarded, guard(judge, { overlap: true })],
  }),
];
