import { z } from 'zod';
import { runEventSchema, runStatusSchema, tripwireSchema, usageSchema, verdictKindSchema } from './run-event.js';

/** The version of the format that this library writes, and the only one that it reads. */
export const traceVersion = 1;

const common = {
  /** Position in the trace, from 0, without gaps. */
  seq: z.int().nonnegative(),
  /** Epoch milliseconds. */
  at: z.number(),
};

const place = {
  /** The step, from 0. */
  stepNumber: z.int().nonnegative(),
  /** The attempt at this step, from 1. */
  attempt: z.int().positive(),
};

/** Values of the trace that stand in a list: pairs of the first one's number, and how many follow each other. */
const rangesSchema = z.array(z.tuple([z.int().nonnegative(), z.int().positive()]));

/** A recorded value: its lists as references to values recorded before or with it, all other fields as they are. */
const traceContentSchema = z.object({
  lists: z.record(z.string(), rangesSchema),
  values: z.record(z.string(), z.unknown()),
});

const content = {
  /**
   * Values that are recorded for the first time. Each gets the next number in the trace, from 0, so that a message is written
   * once, however often it is sent.
   */
  adds: z.array(z.unknown()).optional(),
};

/** A chunk without its words. */
const partNoteSchema = z.object({
  /** The chunk's type, e.g. `text-delta`. */
  type: z.string(),
  /** The id of its part in this run: of a text, or of a tool call; absent where the chunk belongs to no part. */
  partId: z.string().optional(),
  /** How many characters of text it carries. */
  chars: z.int().nonnegative(),
});

const errorSchema = z.object({ name: z.string(), message: z.string(), code: z.string().optional() });

const keptTurn = z.enum(['accepted', 'drop', 'user-only', 'placeholder']).optional();

const size = z.int().min(1);
const guardWindow = z.union([
  z.enum(['delta', 'chunk', 'sentence', 'part', 'step']),
  z.strictObject({ chars: size }),
  z.strictObject({ tokens: size }),
]);

/** Settings that a run begins with, and that its trace and its replay keep. */
const recordedSettings = {
  /** The unit that leaves only after it was accepted: each step, or the whole answer. Absent: nothing is held. */
  hold: z.enum(['step', 'run']).optional(),
  /** The window of stream guards without their own. Absent: `sentence`. */
  window: guardWindow.optional(),
  /** The most characters that guards of the stream may hold at one place; at least 1. */
  maxHeldChars: z.number().optional(),
  /** Tool calls of one step that run at the same time; at least 1. */
  toolConcurrency: z.int().positive(),
  /** The part of a turn without an accepted answer that memory keeps, by how the run ended. Absent: accepted steps. */
  persistence: z
    .object({ tripwire: keptTurn, failed: keptTurn, canceled: keptTurn, suspended: z.enum(['keep', 'drop']).optional() })
    .optional(),
};

/** The settings of a run that its trace keeps, without the rest of what holds them. */
export const recordedSettingsOf = (from: RecordedSettings): RecordedSettings =>
  Object.fromEntries(
    Object.keys(recordedSettings).map((name) => [name, from[name as keyof RecordedSettings]]),
  ) as unknown as RecordedSettings; // its fields, name by name

const memoryProcessorSchema = z.object({ id: z.string(), hooks: z.array(z.string()) });

const header = z.object({
  ...common,
  kind: z.literal('header'),
  version: z.literal(traceVersion),
  /** The library that wrote it, with its version. */
  library: z.string(),
  runId: z.string(),
  agentId: z.string().optional(),
  /** The conversation, where it is kept. */
  threadId: z.string().optional(),
  /** The call of a tool, in another run, that this run is a part of: a supervisor's call of a sub-agent. */
  parent: z.object({ runId: z.string(), toolCallId: z.string() }).optional(),
  mode: z.enum(['generate', 'stream']),
  /** Ids of the pipelines, by array. */
  pipelines: z.record(z.string(), z.string()),
  limits: z.object({
    maxSteps: z.int().positive(),
    maxRetries: z.int().nonnegative(),
    maxRecoveries: z.int().nonnegative(),
  }),
  ...recordedSettings,
  recordEdits: z.boolean().optional(),
  messageId: z.string(),
  models: z.array(z.object({ modelId: z.string(), provider: z.string(), specificationVersion: z.string() })),
  /** Names of the tools that the agent offers. */
  tools: z.array(z.string()),
  /** Settings of each step as the call asks for them; tools aside. */
  settings: z.record(z.string(), z.unknown()),
  /** Processors of the memory, with their hooks: those that run before the guards, and those that keep an accepted answer. */
  memory: z.object({ before: z.array(memoryProcessorSchema), after: z.array(memoryProcessorSchema) }).optional(),
  /** Ids of guards for which words are hidden in this trace, e.g. those of a vault. */
  concealedFor: z.array(z.string()),
});

/** An interface, which declarations name where they would write the object out. */
interface TraceHeaderSchema extends Header {}
type Header = typeof header;
/** How a run is set up: the first line of a trace. */
export const traceHeaderSchema: TraceHeaderSchema = header;

/** An entry of one kind, with its place in the run. */
const entry = <K extends string, F extends z.ZodRawShape>(kind: K, fields: F) =>
  z.object({ ...common, ...place, kind: z.literal(kind), ...fields });

/** One line of a trace: the header, or something that happened. Fields of content are absent in a redacted trace. */
export const traceEntrySchema = z.discriminatedUnion('kind', [
  traceHeaderSchema,
  /** The conversation as the run begins with it; `messages` are the caller's. */
  z.object({
    ...common,
    ...content,
    kind: z.literal('input'),
    messages: z.array(z.object({ id: z.string(), role: z.string(), chars: z.int().nonnegative(), text: z.string().optional() })),
    list: traceContentSchema.optional(),
  }),
  z.object({ ...common, kind: z.literal('event'), event: runEventSchema }),
  /** The guards of a phase are about to be asked; for the streaming phase once for each call of the model. */
  entry('asked', { phase: z.string(), lane: z.string(), pipelineId: z.string() }),
  /**
   * The input of one guard, and its output where it differs; it follows the guard's event. For guards that are called per chunk
   * it contains the chunks that they changed or stopped on, and precedes the event that summarizes them.
   */
  entry('judged', {
    ...content,
    phase: z.string(),
    processorId: z.string(),
    path: z.string(),
    received: traceContentSchema.optional(),
    returned: traceContentSchema.optional(),
    /** If the guard gave no verdict: its error, then the causes of that. `frames` are places in the code. */
    causes: z
      .array(z.object({ name: z.string(), message: z.string(), code: z.string().optional(), frames: z.array(z.string()) }))
      .optional(),
  }),
  /** A model is called. */
  entry('prompt', {
    ...content,
    /** Counts the calls of the run, from 0; what comes of it names it. */
    call: z.int().nonnegative(),
    modelId: z.string(),
    provider: z.string(),
    /** The content of the request: the prompt and the settings. */
    request: traceContentSchema.optional(),
  }),
  /** The provider has started to respond. */
  entry('opened', {
    call: z.int().nonnegative(),
    response: z.record(z.string(), z.unknown()).optional(),
    warnings: z.array(z.unknown()).optional(),
  }),
  /** A part of the model's answer as it came; no guard of the stream has seen it yet. */
  entry('came', { call: z.int().nonnegative(), part: partNoteSchema, chunk: z.unknown().optional() }),
  /** The answer is there to its end, or the call failed; absent where the run hung up. */
  entry('ended', { call: z.int().nonnegative(), isFailed: z.boolean(), error: z.unknown().optional() }),
  /** A chunk can be seen from outside from here on. */
  entry('left', { part: partNoteSchema, chunk: z.unknown().optional() }),
  /** Whether a person was to decide over a call. */
  entry('approval', { toolCallId: z.string(), isNeeded: z.boolean() }),
  /** The output of a running tool, as it arrived. */
  entry('wrote', { toolCallId: z.string(), part: partNoteSchema, chunk: z.unknown().optional() }),
  /** The arguments and the outcome of a tool call, before any guard judged them. */
  entry('tool', {
    toolCallId: z.string(),
    toolName: z.string(),
    ended: z.enum(['result', 'error', 'denied', 'suspended', 'client', 'thrown']),
    /** Whether the run had given up on it by then. */
    isAborted: z.boolean().optional(),
    args: z.unknown().optional(),
    outcome: z.unknown().optional(),
  }),
  /** Whether the conditions held under which the run ends. */
  entry('stop-condition', { holds: z.boolean() }),
  /** The decision of the application about an accepted step. */
  entry('after-step', { goesOn: z.boolean(), feedback: z.string().optional(), chunks: z.array(z.unknown()).optional() }),
  /** The messages after a processor of the memory, or the reason why it stopped the run. */
  entry('memory', {
    ...content,
    phase: z.string(),
    processorId: z.string(),
    verdict: verdictKindSchema,
    list: traceContentSchema.optional(),
    error: z.unknown().optional(),
  }),
  /** The caller gave up. */
  entry('cancel', { reason: z.unknown().optional() }),
  /** A suspended run continues with an answer. */
  entry('resume', { toolCallId: z.string(), answer: z.unknown().optional() }),
  /** How the run ended, or that it rests. */
  entry('result', {
    status: runStatusSchema,
    finishReason: z.string(),
    /** Accepted text. */
    text: z.string(),
    object: z.unknown().optional(),
    usage: usageSchema,
    tripwire: tripwireSchema.optional(),
    error: errorSchema.optional(),
  }),
]);

export type RecordedSettings = z.infer<z.ZodObject<typeof recordedSettings>>;
export type TraceEntry = z.infer<typeof traceEntrySchema>;
export type TraceHeader = z.infer<typeof traceHeaderSchema>;
export type TraceContent = z.infer<typeof traceContentSchema>;
export type PartNote = z.infer<typeof partNoteSchema>;
