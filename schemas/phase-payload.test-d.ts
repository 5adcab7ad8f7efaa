import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type {
  ProcessAPIErrorArgs,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessLLMResponseArgs,
  ProcessOutputStepArgs,
} from '@mastra/core/processors';
import { assertType, expectTypeOf } from 'vitest';
import type { z } from 'zod';
import type { MessagePart, parsePayload, PhaseName, PhasePayload, ProcessorMessageSchema, ProcessorStepOutput } from './index.js';
import type { PhaseData, phasePayloadSchema } from './phase-payload.js';

// A union of nine payloads, discriminated by `phase`.
expectTypeOf<PhaseName>().toEqualTypeOf<
  | 'input'
  | 'inputStep'
  | 'llmRequest'
  | 'apiError'
  | 'outputStream'
  | 'llmResponse'
  | 'outputStep'
  | 'toolResult'
  | 'outputResult'
>();
expectTypeOf<z.output<typeof phasePayloadSchema>>().toEqualTypeOf<PhasePayload>();
expectTypeOf<ReturnType<typeof parsePayload>>().toEqualTypeOf<PhasePayload>();
expectTypeOf<Extract<PhasePayload, { phase: 'toolResult' }>>().toEqualTypeOf<PhaseData<'toolResult'>>();

// Messages are Mastra's, with no cast.
expectTypeOf<PhaseData<'input'>['messages']>().toEqualTypeOf<MastraDBMessage[]>();
expectTypeOf<PhaseData<'outputResult'>['messages']>().toEqualTypeOf<MastraDBMessage[]>();
expectTypeOf<z.output<typeof ProcessorMessageSchema>>().toEqualTypeOf<MastraDBMessage>();
expectTypeOf<MastraDBMessage['content']['parts'][number]>().toEqualTypeOf<MessagePart>();
expectTypeOf<PhaseData<'input'>['messageList']>().toEqualTypeOf<MessageList | undefined>();

// A message may come in with its time as text.
assertType<z.input<typeof ProcessorMessageSchema>>({
  id: 'm',
  role: 'user',
  createdAt: '2026-01-01',
  content: { format: 2, parts: [] },
});

// The data of a payload fit the hook's arguments.
type Fits<Data, Args> = { [K in keyof Data & keyof Args]: Data[K] };
expectTypeOf<Fits<Omit<PhaseData<'inputStep'>, 'model'>, ProcessInputStepArgs>>().toExtend<Partial<ProcessInputStepArgs>>();
expectTypeOf<Fits<PhaseData<'llmRequest'>, ProcessLLMRequestArgs>>().toExtend<Partial<ProcessLLMRequestArgs>>();
expectTypeOf<Fits<PhaseData<'llmResponse'>, ProcessLLMResponseArgs>>().toExtend<Partial<ProcessLLMResponseArgs>>();
expectTypeOf<Fits<PhaseData<'apiError'>, ProcessAPIErrorArgs>>().toExtend<Partial<ProcessAPIErrorArgs>>();
expectTypeOf<Fits<Omit<PhaseData<'outputStep'>, 'usage'>, ProcessOutputStepArgs>>().toExtend<Partial<ProcessOutputStepArgs>>();
expectTypeOf<PhaseData<'llmRequest'>['prompt']>().toEqualTypeOf<ProcessLLMRequestArgs['prompt']>();
expectTypeOf<PhaseData<'llmResponse'>['chunks']>().toEqualTypeOf<ProcessLLMResponseArgs['chunks']>();

// Unknown fields are kept but not in the type, so that a misspelt field is an error.
expectTypeOf<PhaseData<'input'>>().not.toHaveProperty('mesages');
expectTypeOf<keyof PhaseData<'outputStream'>>().toEqualTypeOf<
  'phase' | 'part' | 'streamParts' | 'messageList' | 'state' | 'retryCount' | 'steps' | 'systemMessages' | 'runId' | 'messageId'
>();

// The value of a tool has two names, ours and that of Mastra's engine.
expectTypeOf<PhaseData<'toolResult'>>().toHaveProperty('result');
expectTypeOf<PhaseData<'toolResult'>>().toHaveProperty('toolResultValue');

// A step's output needs its phase only; a field is what any phase lets it be.
assertType<ProcessorStepOutput>({ phase: 'input' });
expectTypeOf<ProcessorStepOutput['messages']>().toEqualTypeOf<MastraDBMessage[] | undefined>();
expectTypeOf<ProcessorStepOutput['phase']>().toEqualTypeOf<PhaseName>();
for (const data of [] as PhasePayload[]) assertType<ProcessorStepOutput>(data);
