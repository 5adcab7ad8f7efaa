import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';

import { phases, type Phase } from '../../src/index.js';
import type { Moments } from './moments.js';
import type { Act, Spec } from './spec.js';

type GuardSpec = Extract<Spec, { kind: 'guard' }>;

/** The arguments of hooks that the acts use. */
interface HookArgs {
  readonly messages: MastraDBMessage[];
  readonly messageList: MessageList;
  readonly part: TextChunk | undefined;
  readonly prompt: { role: string; content: TextPart[] }[];
  readonly result: { note: string; value?: number };
  readonly modelSettings?: object;
  abort(reason: string, options?: object): never;
}

interface TextPart {
  type: string;
  text: string;
}

interface TextChunk {
  type: string;
  payload: { id: string; text: string; flag?: number };
}

/** A run in which guards act. */
export interface Acting {
  readonly phase: Phase;
  readonly moments: Moments;
  /** Called with each guard that starts. */
  readonly note: (id: string) => void;
  /** A number that occurs nowhere else in the run. */
  readonly unique: () => number;
}

/** A processor with the behavior of a drawn guard, in one phase. */
export const processorOf = ({ id, act, delay }: GuardSpec, { phase, moments, note }: Acting): Processor => {
  if (act.kind === 'absent') return { id, [phase === 'input' ? 'processOutputResult' : 'processInput']: () => undefined };
  const run = (args: HookArgs): unknown => {
    const stop = stopsOf(id, args)[act.kind];
    return stop ? stop() : actsOf[phase](act, args, id);
  };
  const hook = (args: HookArgs): unknown => {
    note(id);
    return delay === undefined ? run(args) : moments.until(delay).then(() => run(args));
  };
  return { id, [phases[phase].hook]: hook };
};

const stopsOf = (id: string, { abort }: HookArgs): Partial<Record<Act['kind'], () => never>> => ({
  trip: () => abort(`${id} trips`, { metadata: { by: id } }),
  retry: () => abort(`${id} retries`, { retry: true, metadata: { by: id } }),
  throw: () => {
    throw new Error(`${id} throws`);
  },
});

/** The effect of an act on a text. */
const rewrite = (text: string, act: Act): string => {
  if (act.kind === 'redact') return text.replaceAll(new RegExp(`\\bw${act.word}\\b`, 'g'), '[x]');
  if (act.kind === 'append') return text.includes(`w${act.word}`) ? `${text} fresh${act.word}` : text;
  return text;
};

type ActIn = (act: Act, args: HookArgs, id: string) => unknown;

const rewritten = (message: MastraDBMessage, act: Act): MastraDBMessage => ({
  ...message,
  content: {
    ...message.content,
    parts: message.content.parts.map((part) => (part.type === 'text' ? { ...part, text: rewrite(part.text, act) } : part)),
  },
});

const rewriteInPlace = (parts: readonly object[], act: Act): void => {
  for (const part of parts) if ('text' in part) Object.assign(part, { text: rewrite(String(part.text), act) });
};

/** A message that a guard adds. */
const added = (id: string): MastraDBMessage => ({
  id: `by-${id}`,
  role: 'user',
  createdAt: new Date(9_000),
  content: { format: 2, parts: [{ type: 'text', text: `said by ${id}` }] },
});

/** Changes in place that every phase with messages allows. */
const onList: ActIn = (act, { messages, messageList }, id) => {
  if (act.kind === 'add') messageList.add(added(id), 'input', { merge: false });
  else if (act.kind === 'remove') messageList.removeByIds(messages.slice(act.at, act.at + 1).map((message) => message.id));
  else
    rewriteInPlace(
      messages.flatMap(({ content }) => content.parts),
      act,
    );
};

const onMessages: ActIn = (act, args, id) => {
  const { messages, messageList } = args;
  if (!('inPlace' in act)) return undefined;
  if (act.inPlace) {
    onList(act, args, id);
    return act.kind === 'redact' ? undefined : messageList;
  }
  if (act.kind === 'add') return [...messages, added(id)];
  if (act.kind === 'remove') return messages.filter((_, at) => at !== act.at);
  return messages.map((message) => rewritten(message, act));
};

const onStep: ActIn = (act, args, id) => {
  if (act.kind !== 'set') return onMessages(act, args, id);
  const fields = [
    { toolChoice: 'none' },
    { activeTools: ['a', 'b'].slice(0, act.value) },
    { modelSettings: { ...args.modelSettings, seed: act.value } },
    { providerOptions: { own: { [id]: act.value } } },
  ];
  return fields[act.value];
};

const onChunk: ActIn = (act, { part }) => {
  if (part?.type !== 'text-delta') return part;
  if (act.kind === 'remove') return null;
  if (act.kind === 'set') return { ...part, payload: { ...part.payload, flag: act.value } };
  if (!('inPlace' in act)) return part;
  const text = rewrite(part.payload.text, act);
  if (!act.inPlace) return { ...part, payload: { ...part.payload, text } };
  part.payload.text = text;
  return part;
};

const onPrompt: ActIn = (act, { prompt }, id) => {
  if (act.kind === 'set') return { response: { chunks: [{ type: 'text-delta', payload: { text: id } }] } };
  if (!('inPlace' in act)) return undefined;
  if (act.inPlace) {
    if (act.kind === 'add') prompt.push({ role: 'user', content: [{ type: 'text', text: `said by ${id}` }] });
    else if (act.kind === 'remove') prompt.splice(act.at, 1);
    else
      rewriteInPlace(
        prompt.flatMap(({ content }) => content),
        act,
      );
    return undefined;
  }
  const turns = prompt.map((one) => ({ ...one, content: one.content.map((p) => ({ ...p, text: rewrite(p.text, act) })) }));
  if (act.kind === 'add') turns.push({ role: 'user', content: [{ type: 'text', text: `said by ${id}` }] });
  return { prompt: act.kind === 'remove' ? turns.filter((_, at) => at !== act.at) : turns };
};

const onToolResult: ActIn = (act, args, id) => {
  if (act.kind === 'set') {
    args.result.value = act.value;
    return undefined;
  }
  if ('inPlace' in act && act.inPlace && act.kind === 'redact') {
    args.result.note = rewrite(args.result.note, act);
    return undefined;
  }
  return onMessages(act, args, id);
};

const onError: ActIn = (act, args, id) => {
  if ('inPlace' in act) onList(act, args, id);
  return act.kind === 'set' ? { retry: act.value > 1 } : undefined;
};

const actsOf: Readonly<Record<Phase, ActIn>> = {
  input: onMessages,
  inputStep: onStep,
  llmRequest: onPrompt,
  apiError: onError,
  outputStream: onChunk,
  llmResponse: () => undefined,
  outputStep: onMessages,
  toolResult: onToolResult,
  outputResult: onMessages,
};
