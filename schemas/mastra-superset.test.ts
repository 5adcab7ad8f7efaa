import { MessageList } from '@mastra/core/agent/message-list';
import { ProcessorStepOutputSchema as MastraOutput, ProcessorStepSchema as MastraInput } from '@mastra/core/processors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phasePayloadSchema } from './phase-payload.js';
import { phaseSchemas, ProcessorStepOutputSchema, safeParsePayload } from './index.js';
import { times } from '../test/modes.js';

type Arb = fc.Arbitrary<unknown>;
type Tree = Record<string, unknown>;

/** Mostly what belongs there, sometimes nothing, sometimes anything. */
const maybe = (arb: Arb): Arb => fc.oneof({ weight: 3, arbitrary: arb }, { weight: 1, arbitrary: fc.constant(undefined) });
const weird = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true });
const object = fc.dictionary(fc.string(), fc.anything());
const bytes = fc.oneof(fc.string(), fc.constant(new URL('https://example.org/a.png')), fc.uint8Array());

const parts: Arb[] = [
  fc.record({ type: fc.constant('text'), text: fc.string(), providerMetadata: maybe(weird) }),
  fc.record({ type: fc.constant('image'), image: bytes, mimeType: maybe(fc.string()) }),
  fc.record({ type: fc.constant('file'), data: bytes, mimeType: fc.string() }),
  fc.record({
    type: fc.constant('tool-invocation'),
    toolInvocation: fc.record({
      toolCallId: fc.string(),
      toolName: fc.string(),
      args: fc.anything(),
      state: fc.constantFrom('partial-call', 'call', 'result'),
      result: fc.anything(),
      approval: fc.anything(),
    }),
  }),
  fc.record({
    type: fc.constant('reasoning'),
    reasoning: fc.string(),
    details: fc.array(
      fc.record({
        type: fc.constantFrom('text', 'redacted'),
        text: maybe(fc.string()),
        data: maybe(fc.string()),
        signature: weird,
      }),
    ),
  }),
  fc.record({
    type: fc.constant('source'),
    source: fc.record({ sourceType: fc.string(), id: fc.string(), url: maybe(fc.string()), title: maybe(fc.string()) }),
  }),
  fc.record({ type: fc.constant('step-start'), model: maybe(weird) }),
  fc.record({ type: fc.string().map((name) => `data-${name}`), id: maybe(fc.string()), data: fc.anything() }),
];

const message = fc.record({
  id: fc.string(),
  role: fc.constantFrom('user', 'assistant', 'system', 'tool', 'signal'),
  createdAt: fc.oneof(
    fc.date({ noInvalidDate: true }),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.integer(),
    fc.constantFrom(null, true, '2026', [2026], '2026-01-02T03:04:05+02:00'),
  ),
  threadId: maybe(fc.string()),
  resourceId: maybe(fc.string()),
  type: maybe(fc.string()),
  content: fc.record({
    format: fc.constant(2),
    parts: fc.array(fc.oneof(...parts), { maxLength: 4 }),
    content: maybe(fc.string()),
    metadata: maybe(object),
    providerMetadata: maybe(object),
    toolInvocations: maybe(weird),
  }),
});

const carried = {
  messages: fc.array(message, { maxLength: 3 }),
  messageList: fc.oneof(fc.constant(null), fc.constant(new MessageList()), fc.anything()),
  retryCount: maybe(fc.double({ noNaN: true, noDefaultInfinity: true })),
};
const systemMessages = maybe(
  fc.array(fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content: fc.anything() }), { maxLength: 2 }),
);
const stepNumber = fc.oneof(fc.nat(9), fc.double({ noNaN: true, noDefaultInfinity: true }));

const mastrasPhases: Record<string, fc.Arbitrary<Tree>> = {
  input: fc.record({ ...carried, systemMessages }),
  inputStep: fc.record({
    ...carried,
    stepNumber,
    systemMessages,
    runId: maybe(fc.string()),
    messageId: maybe(fc.string()),
    rotateResponseMessageId: maybe(weird),
    model: maybe(weird),
    tools: maybe(weird),
    toolChoice: maybe(weird),
    activeTools: maybe(fc.array(fc.string())),
    providerOptions: maybe(weird),
    modelSettings: maybe(weird),
    structuredOutput: maybe(weird),
    steps: maybe(weird),
  }),
  outputStream: fc.record({
    part: fc.anything(),
    streamParts: fc.array(fc.anything(), { maxLength: 3 }),
    state: object,
    messageList: carried.messageList,
    retryCount: carried.retryCount,
  }),
  outputStep: fc.record({
    ...carried,
    stepNumber,
    systemMessages,
    finishReason: maybe(fc.string()),
    providerMetadata: maybe(object),
    toolCalls: maybe(fc.array(fc.record({ toolName: fc.string(), toolCallId: fc.string(), args: fc.anything() }))),
    text: maybe(fc.string()),
    usage: maybe(object),
  }),
  toolResult: fc.record({
    ...carried,
    stepNumber,
    systemMessages,
    toolName: fc.string(),
    toolCallId: fc.string(),
    args: fc.anything(),
    result: fc.anything(),
    providerExecuted: maybe(fc.boolean()),
    steps: maybe(weird),
  }),
  outputResult: fc.record({
    ...carried,
    result: maybe(fc.record({ text: fc.string(), usage: object, finishReason: fc.string(), steps: fc.array(fc.anything()) })),
  }),
};

const allFields = new Set(Object.values(phaseSchemas).flatMap(({ shape }) => Object.keys(shape)));
allFields.delete('phase');
/** Fields that this phase may not have in Mastra's schema, with values of any kind. */
const extras = fc.dictionary(fc.oneof(fc.constantFrom(...allFields), fc.string()), weird, { maxKeys: 3 });

const isContainer = (value: unknown): value is Tree =>
  Array.isArray(value) || (Object.prototype.toString.call(value) === '[object Object]' && !(value instanceof MessageList));

const places = (tree: Tree): [Tree, string][] =>
  Object.keys(tree).flatMap((key) => {
    const value = tree[key];
    return [[tree, key] as [Tree, string], ...(isContainer(value) ? places(value) : [])];
  });

/** Replaces or removes one value somewhere in the payload. */
const bend = (payload: Tree, place: number, replacement: unknown): void => {
  const all = places(payload);
  const [owner, key] = all[place % all.length] ?? [payload, 'phase'];
  if (replacement === undefined) Reflect.deleteProperty(owner, key);
  else owner[key] = replacement;
};

const payloadOf = (phase: string): fc.Arbitrary<Tree> =>
  fc
    .tuple(
      mastrasPhases[phase] ?? fc.constant({}),
      fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, extras),
      fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constant(undefined), fc.constant(null), weird)), { maxLength: 2 }),
    )
    .map(([payload, more, bends]) => {
      const whole: Tree = { ...more, ...payload, phase };
      for (const [place, replacement] of bends) bend(whole, place, replacement);
      return whole;
    });

/** The times as read, in the phases that have messages. */
const createdAts = (payload: Tree): unknown[] => {
  const messages = payload.phase === 'outputStream' ? [] : payload.messages;
  return (messages as { createdAt: unknown }[]).map(({ createdAt }) => createdAt);
};

const ownFields = new Set([
  'prompt',
  'chunks',
  'error',
  'response',
  'decision',
  'fromCache',
  'warnings',
  'providerMetadata',
  'isError',
]);

/** As a step hands it on: Mastra knows these fields of ours as none of its own, and a tool's value under another name. */
const asOutput = ({ result, ...payload }: Tree): Tree => {
  const known = Object.entries(payload).filter(([name]) => !ownFields.has(name));
  const value = payload.phase === 'toolResult' ? { toolResultValue: result } : result === undefined ? {} : { result };
  return { ...Object.fromEntries(known), ...value };
};

describe('payloads that Mastra accepts', () => {
  it.each(Object.keys(mastrasPhases))('%s: accepts every input that Mastra accepts', (phase) => {
    let accepted = 0;
    fc.assert(
      fc.property(payloadOf(phase), (payload) => {
        const theirs = MastraInput.safeParse(payload);
        if (!theirs.success) return;
        accepted += 1;
        const ours = phasePayloadSchema.safeParse(payload);
        expect(ours.error?.issues ?? []).toEqual([]);
        expect(safeParsePayload(payload).success).toBe(true);
        expect(createdAts({ ...ours.data })).toEqual(createdAts({ ...theirs.data }));
      }),
      times(100, 500),
    );
    // The property says nothing about payloads that Mastra rejects, so it must have met enough of the others.
    expect(accepted).toBeGreaterThan(times(100, 500).numRuns / 4);
  });

  it.each(Object.keys(mastrasPhases))('%s: accepts every step output that Mastra accepts', (phase) => {
    let accepted = 0;
    fc.assert(
      fc.property(payloadOf(phase), (payload) => {
        const output = asOutput(payload);
        if (!MastraOutput.safeParse(output).success) return;
        accepted += 1;
        expect(ProcessorStepOutputSchema.safeParse(output).error?.issues ?? []).toEqual([]);
      }),
      times(50, 200),
    );
    expect(accepted).toBeGreaterThan(times(50, 200).numRuns / 5);
  });

  it('accepts a payload without messageList, which Mastra rejects', () => {
    const payload = { phase: 'input', messages: [] };
    expect(MastraInput.safeParse(payload).success).toBe(false);
    expect(phasePayloadSchema.safeParse(payload).success).toBe(true);
  });
});
