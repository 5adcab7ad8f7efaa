import { splitInto, toolInput, type ScriptedToolCall, type ScriptedUsage } from './deltas.js';
import { finishOf, type GenerateResultOf, type ScriptedFinishReason, type SpecVersion, type StreamPartOf } from './model-spec.js';

/** The content of a step, for every version of the model interface. */
export interface StepScript {
  /** One delta, or the deltas. */
  readonly text?: string | readonly string[];
  /** One delta, or the deltas. */
  readonly reasoning?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Stream parts, sent unchanged in place of everything above and of the finish part. */
  readonly parts?: readonly unknown[];
  readonly usage?: ScriptedUsage;
  /** Default: `tool-calls` if there are tool calls, else `stop`. */
  readonly finishReason?: ScriptedFinishReason;
  /** Thrown by the call if the step has no content, else by the stream after the content. */
  readonly error?: unknown;
  /** Waits for the caller's abort signal: in the call if the step has no content, else in the stream after the content. */
  readonly hang?: boolean;
  /** Milliseconds before each part. Default 0. */
  readonly delayMs?: number;
}

/**
 * One answer of a scripted model. Reasoning comes first, then text, then tool calls, then the end of the step.
 *
 * @example
 * { text: ['Hel', 'lo'] }
 * { toolCalls: [{ name: 'lookup-order', args: { orderId: '1042' }, fragments: 3 }] }
 * { error: new Error('no answer') } // the call fails
 * { text: ['Hel'], error: new Error('cut off') } // the stream breaks after its first delta
 * { hang: true } // the call never answers
 * { text: ['Hel'], hang: true } // the stream never ends
 */
export interface ScriptedStep<V extends SpecVersion = SpecVersion> extends StepScript {
  /** Stream parts in the format of the model's version, sent unchanged in place of all other content and of the finish part. */
  readonly parts?: readonly StreamPartOf<V>[];
}

/** A part inside the scripted model, which reads the type and little else. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

const deltasOf = (text: string | readonly string[] | undefined): readonly string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : text;

const blockOf = (kind: 'text' | 'reasoning', deltas: readonly string[]): Part[] => {
  if (deltas.length === 0) return [];
  const id = `${kind}-0`;
  return [
    { type: `${kind}-start`, id },
    ...deltas.map((delta) => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id },
  ];
};

const toolCallParts = (call: ScriptedToolCall, id: string): Part[] => {
  const input = toolInput(call);
  return [
    { type: 'tool-input-start', id, toolName: call.name },
    ...splitInto(input, call.fragments).map((delta) => ({ type: 'tool-input-delta', id, delta })),
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: call.name, input },
  ];
};

/** Whether a step has content before it fails or hangs. */
export const hasContent = ({ text, reasoning, toolCalls, parts }: StepScript): boolean =>
  [text, reasoning, toolCalls, parts].some((content) => content !== undefined);

/** The call that a step answers, and its model. */
interface StepContext {
  readonly version: SpecVersion;
  readonly modelId: string;
  /** The call's number on this model, from 0. */
  readonly index: number;
}

/** The stream parts of a step. One list serves both call modes, so that they cannot differ. */
export const partsOf = (step: StepScript, { version, modelId, index }: StepContext): readonly Part[] => {
  if (step.parts) return step.parts as readonly Part[]; // every part of every version has a type
  const calls = step.toolCalls ?? [];
  const broken = step.error !== undefined || step.hang === true;
  const finishReason = step.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: `response-${index}`, modelId, timestamp: new Date(0) },
    ...blockOf('reasoning', deltasOf(step.reasoning)),
    ...blockOf('text', deltasOf(step.text)),
    ...calls.flatMap((call, at) => toolCallParts(call, call.id ?? `call-${index}-${at}`)),
    ...(broken ? [] : [{ type: 'finish', ...finishOf[version](finishReason, step.usage) }]),
  ];
};

const blockPart = /^(text|reasoning)-(start|delta|end)$/;
const wholeContent = new Set(['tool-call', 'tool-result', 'file', 'reasoning-file', 'source', 'custom', 'tool-approval-request']);

type Block = Part & { text: string; providerMetadata?: unknown };

const contentOf = (parts: readonly Part[]): Part[] => {
  const content: Part[] = [];
  const blocks = new Map<string, Block>();
  for (const part of parts) {
    const [, type] = blockPart.exec(part.type) ?? [];
    if (!type) {
      if (wholeContent.has(part.type)) content.push(part);
      continue;
    }
    const key = `${type}/${String(part['id'])}`;
    const block: Block = blocks.get(key) ?? { type, text: '' };
    if (!blocks.has(key)) content.push(block);
    blocks.set(key, block);
    if (typeof part['delta'] === 'string') block.text += part['delta'];
    if (part['providerMetadata'] !== undefined) block.providerMetadata = part['providerMetadata']; // the last one wins
  }
  return content.filter((part) => part['text'] !== '' || part['providerMetadata'] !== undefined);
};

const lastOf = (parts: readonly Part[], type: string): Part | undefined => parts.findLast((part) => part.type === type);

/** The result of a call without streaming: the same parts, combined. */
export const gather = <V extends SpecVersion>(parts: readonly Part[], version: V): GenerateResultOf<V> => {
  const failure = lastOf(parts, 'error');
  if (failure) throw failure['error'];
  const finish: Part = lastOf(parts, 'finish') ?? { type: 'finish', ...finishOf[version]('other') };
  const metadata = lastOf(parts, 'response-metadata');
  const result: unknown = {
    content: contentOf(parts),
    finishReason: finish['finishReason'],
    usage: finish['usage'],
    ...(finish['providerMetadata'] !== undefined && { providerMetadata: finish['providerMetadata'] }),
    warnings: lastOf(parts, 'stream-start')?.['warnings'] ?? [],
    response: { id: metadata?.['id'], modelId: metadata?.['modelId'], timestamp: metadata?.['timestamp'] },
  };
  return result as GenerateResultOf<V>; // the parts are of version V, by the step's type
};
