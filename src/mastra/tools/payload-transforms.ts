import type { MessageList } from '@mastra/core/agent/message-list';
import type { ToolPayloadTransform, ToolPayloadTransformContext, ToolPayloadTransformPolicy } from '@mastra/core/tools';
import type { Chunk, PayloadTransforms } from '../../loop/ports.js';
import { fieldsIn } from '../../phase/plain-data.js';

type Part = ReturnType<MessageList['get']['all']['db']>[number]['content']['parts'][number];
type Phase = ToolPayloadTransformContext['phase'];
type Payload = Pick<ToolPayloadTransformContext, 'phase' | 'toolName' | 'toolCallId' | 'providerMetadata'> & {
  readonly [Field in 'input' | 'inputTextDelta' | 'output' | 'error' | 'suspendPayload']?: unknown;
};

/** The displayed values that replace payloads, by target and phase. Mastra's clients read them from `mastra.toolPayloadTransform`. */
type DisplayValues = Partial<Record<(typeof targets)[number], Partial<Record<Phase, object>>>>;

const targets = ['display', 'transcript'] as const;

const ownNames = {
  'input-delta': 'inputDelta',
  'input-available': 'input',
  'output-available': 'output',
  error: 'error',
  approval: 'approval',
  suspend: 'suspend',
  resume: 'resume',
} as const satisfies Record<Phase, keyof NonNullable<ToolPayloadTransform['display']>>;

interface TransformOptions {
  readonly policy: ToolPayloadTransformPolicy | undefined;
  /** The prepared tools of a call. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** Called with the error of a transform. */
  readonly warn: (error: unknown, payload: Payload) => void;
}

type Target = (typeof targets)[number];
type Way = (context: ToolPayloadTransformContext) => unknown;

/**
 * Adds to chunks and messages the displayed values that replace a tool's payloads. A transform gets accepted payloads; its value
 * is not judged. If it returns undefined, a sentence replaces the payload, as in Mastra.
 */
export const createPayloadTransforms = ({ policy, tools, warn }: TransformOptions): PayloadTransforms => {
  const known = new Map<string, ToolPayloadTransform>();
  const register: PayloadTransforms['register'] = (more = {}) => {
    for (const [name, tool] of Object.entries(more)) {
      const { transform } = (tool ?? {}) as { transform?: ToolPayloadTransform };
      if (transform) known.set(name, transform);
    }
  };
  register(tools);
  const all = policy?.transformToolPayload;
  const isIdle = (): boolean => !all && known.size === 0;
  const waysOf = ({ toolName, phase }: Payload, target: Target): readonly Way[] | undefined => {
    const own = known.get(toolName)?.[target];
    const shared = (policy?.targets ?? targets).includes(target) ? all : undefined;
    return own || shared ? [shared, own?.[ownNames[phase]]].filter((way) => way !== undefined) : undefined;
  };
  const isConcerned = (payload: Payload | undefined): boolean =>
    payload !== undefined && (all !== undefined || known.has(payload.toolName));
  const displayValues = async (payloads: readonly Payload[]): Promise<DisplayValues> => {
    const values: DisplayValues = {};
    for (const payload of payloads)
      for (const target of targets) {
        const ways = waysOf(payload, target);
        if (ways) values[target] = { ...values[target], [payload.phase]: await transformed({ ...payload, target }, ways, warn) };
      }
    return values;
  };
  return {
    register,
    ofChunk: (chunk) => {
      if (isIdle()) return undefined;
      const payloads = payloadsOf(chunk);
      if (!isConcerned(payloads[0])) return undefined;
      return displayValues(payloads).then((values) => void (chunk.metadata = withDisplayValues(chunk.metadata, values)));
    },
    ofMessages: async (list) => {
      if (isIdle()) return;
      const parts = list.get.response.db().flatMap(({ content }) => content.parts);
      for (const part of parts) {
        const payloads = payloadsIn(part);
        if (!isConcerned(payloads[0])) continue;
        const values = await displayValues(payloads);
        part.providerMetadata = withDisplayValues(part.providerMetadata, values) as Part['providerMetadata'];
      }
    },
  };
};

/** The first defined value that a transform returns for a payload. */
const transformed = async (
  payload: Payload & { readonly target: Target },
  ways: readonly Way[],
  warn: TransformOptions['warn'],
): Promise<object> => {
  const isDelta = payload.phase === 'input-delta';
  const nothing = isDelta ? { suppress: true } : { transformed: { message: `Tool ${payload.phase} payload unavailable` } };
  try {
    for (const way of ways) {
      const value = await way(payload as ToolPayloadTransformContext); // Mastra types it per tool
      if (value !== undefined) return { transformed: value };
    }
    return nothing;
  } catch (error) {
    warn(error, payload);
    return { ...nothing, failed: true };
  }
};

type Metadata = Record<string, unknown> | undefined;

const withDisplayValues = (metadata: Metadata, all: DisplayValues): Record<string, unknown> => ({
  ...metadata,
  mastra: { ...fieldsIn(metadata?.['mastra']), toolPayloadTransform: all },
});

/** The payloads of a chunk, its arguments first. */
const payloadsOf = ({ type, payload }: Chunk): readonly Payload[] => {
  const kind = chunkPhases[type];
  if (!kind) return [];
  const { toolCallId, toolName = '', args, providerMetadata, ...rest } = payload as ChunkPayload; // chunks of these types have this payload
  const call = { toolName, toolCallId, providerMetadata, input: args };
  const { result: output, argsTextDelta: inputTextDelta, error, suspendPayload } = rest;
  const own: Payload = { ...call, phase: kind, output, inputTextDelta, error, suspendPayload };
  return kind === 'input-delta' || kind === 'input-available' ? [own] : [{ ...call, phase: 'input-available' }, own];
};

interface ChunkPayload extends Omit<Payload, 'phase' | 'toolName'> {
  readonly toolName?: string;
  readonly args?: unknown;
  readonly result?: unknown;
  readonly argsTextDelta?: string;
}

const chunkPhases: Readonly<Record<string, Phase>> = {
  'tool-call-delta': 'input-delta',
  'tool-call': 'input-available',
  'tool-result': 'output-available',
  'tool-error': 'error',
  'tool-call-approval': 'approval',
  'tool-call-suspended': 'suspend',
};

const payloadsIn = (part: Part): readonly Payload[] => {
  if (part.type !== 'tool-invocation') return [];
  const { toolName, toolCallId, args: input } = part.toolInvocation;
  const { state, result, errorText } = fieldsIn(part.toolInvocation); // Mastra's type has fewer states
  const call = { toolName, toolCallId, input, providerMetadata: part.providerMetadata };
  const first: Payload = { ...call, phase: 'input-available' };
  if (state === 'result') return [first, { ...call, phase: 'output-available', output: result }];
  return state === 'output-error' ? [first, { ...call, phase: 'error', error: errorText }] : [first];
};
