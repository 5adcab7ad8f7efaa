import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Processor, ProcessorContext, ProcessOutputStreamArgs } from '@mastra/core/processors';
import { createPace, paced } from '../../src/guard/in-steps.js';
import type { Pattern, WindowedProcessor } from '../../src/guard/pattern.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import {
  fileTextsOf,
  recalledElsewhere,
  newestUserTurn,
  textsOf,
  currentToolResult,
  replaceToolResult,
  responseMessages,
  resultsIn,
} from '../messages/read-messages.js';
import { redactMessages, editLeaves, redactingTexts, type Redaction } from '../messages/redact-messages.js';
import type { JudgePlace } from '../judge/policies.js';
import type { CombinedFinder, ValueSpan } from '../patterns/combine-finders.js';
import { holdBack } from '../stream/hold-back.js';
import {
  block,
  judgeWith,
  report,
  type Detection,
  traitsOf,
  unchanged,
  type EditStrategy,
  type GuardProcessor,
} from './guard-options.js';
import { computed } from '../../src/phase/plain-data.js';

/** The place of a value. */
export type ValuePlace = Exclude<JudgePlace, 'call'>;

/** The common policy of a value guard for all hooks. */
export interface ValuePolicy<Kind extends string = string, Metadata = unknown> {
  readonly finder: CombinedFinder<Kind>;
  /** Whether a value is replaced, stops the run, or is only reported. */
  readonly effect: EditStrategy;
  replacement(span: ValueSpan<Kind>, value: string): string;
  /** Whether a tool call with a value is rejected: the tool would act on the replacement. Default: it runs. */
  readonly rejectsCalls?: boolean;
  /** The places that it reads. Default: all. */
  readonly places?: readonly ValuePlace[] | undefined;
  /** Whether a match may stay, given the conversation. Default: no match may. */
  spares?(value: string, span: ValueSpan<Kind>, list: ProcessOutputStreamArgs['messageList']): boolean;
  detection(found: readonly ValueSpan<Kind>[], place: ValuePlace): Detection<Metadata>;
}

export type ValueHooks<Metadata> = Omit<
  GuardProcessor<'processInput' | 'processOutputStep' | 'processOutputResult' | 'processToolResult', Metadata>,
  'id'
> &
  Pick<WindowedProcessor, 'window'>;

/** The hooks of a guard over values, for messages, tool results and the stream; a guard that only reports has none for the stream. */
export const valueHooks = <Kind extends string, Metadata>(
  policy: ValuePolicy<Kind, Metadata>,
  guard: Processor,
): ValueHooks<Metadata> => {
  const { effect, places = ['input', 'answer', 'result'] } = policy;
  const pass = () => unchanged;
  return {
    traits: { ...traitsOf[effect], judgesErrors: true },
    ...(effect === 'redact' ? editingHooks(policy, guard) : judgeHooks(policy, guard)),
    ...(!places.includes('input') && { processInput: pass }),
    ...(!places.includes('result') && { processToolResult: pass }),
    ...(!places.includes('answer') && { processOutputStep: pass, processOutputResult: pass }),
    ...(effect !== 'warn' && places.includes('answer') && streamHooks(policy, guard)),
  };
};

/** The hook for the stream, and the window that replaces it on hosts that buffer text themselves. */
export const streamHooks = <Kind extends string, Metadata>(
  policy: ValuePolicy<Kind, Metadata>,
  guard: Processor,
): Required<Pick<WindowedProcessor, 'window' | 'processDataParts'>> &
  Pick<GuardProcessor<'processOutputStream'>, 'processOutputStream'> => {
  const pattern: Pattern<ValueSpan<Kind>> = {
    ...policy.finder,
    ...(policy.rejectsCalls && {
      callRejection: 'The call did not run: its arguments contain values that must not be passed on.',
    }),
    passed: (text, state) => void cleanTextsOf(state, policy.finder).add(text),
    replace: (value, { span, context, messageList }) => {
      if (policy.spares?.(value, span, messageList)) return value;
      const detection = policy.detection([span], 'answer');
      if (policy.effect === 'block') return block(detection, context as ProcessorContext<Metadata>); // its abort takes any metadata
      if (!span.isRest) void report(guard, detection);
      context.state[redactedKey] = true;
      return policy.replacement(span, value);
    },
  };
  return {
    window: { pattern: pattern as unknown as Pattern }, // gets only its own spans
    processDataParts: true,
    processOutputStream: holdBack(pattern),
  };
};

/** The texts without values in each run: each later hook and step gets them again. */
const cleanTexts = new WeakMap<object, Map<object, Set<string>>>();

const cleanTextsOf = (state: object, finder: object): Set<string> => {
  const byFinder = computed(cleanTexts, state, () => new Map<object, Set<string>>());
  return computed(byFinder, finder, () => new Set<string>());
};

const redactionOf =
  <Kind extends string>({ finder, replacement, spares }: ValuePolicy<Kind>) =>
  ({ messageList, state }: HookArgs): Redaction<ValueSpan<Kind>> => {
    const clean = cleanTextsOf(state, finder);
    let hasSpared = false; // another conversation may not spare it
    const mayStay = (text: string, span: ValueSpan<Kind>): boolean => {
      const isSpared = spares?.(text.slice(span.start, span.end), span, messageList) === true;
      hasSpared ||= isSpared;
      return isSpared;
    };
    return {
      find: spares ? (text, from, until) => finder.find(text, from, until).filter((span) => !mayStay(text, span)) : finder.find,
      isStepwise: finder.isStepwise,
      rest: finder.rest,
      ...(finder.prepare && { prepare: finder.prepare }),
      labelled: (text, label) => {
        const span = finder.labelled?.(text, label);
        return span && mayStay(text, span) ? undefined : span;
      },
      clean: { has: (text) => clean.has(text), add: (text) => (hasSpared ? clean : clean.add(text)) },
      replacement,
    };
  };

type HookArgs = Pick<ProcessOutputStreamArgs, 'messageList' | 'state'>;

/** Whether results of tools in the input are read: those of a client's tools, and recalled ones, have no other hook. */
const readsResults = ({ places }: Pick<ValuePolicy, 'places'>): boolean => places?.includes('result') !== false;

/** In the state of a run: the stream hook has replaced values. */
const redactedKey = 'hasRedacted';

type MessageHooks<Metadata> = Omit<ValueHooks<Metadata>, 'window' | 'traits'>;

const editingHooks = <Kind extends string, Metadata>(
  policy: ValuePolicy<Kind, Metadata>,
  guard: Processor,
): MessageHooks<Metadata> => {
  const { finder } = policy;
  const edit = (args: HookArgs & { messages: MastraDBMessage[] }, targets: readonly MastraDBMessage[], place: ValuePlace) => {
    // A replacement may have brought a label nearer to a value that the stream hook left.
    const isRead = place === 'answer' && args.state[redactedKey] === true;
    const redaction = redactionOf({ ...policy, finder: (isRead && finder.unlabelled?.()) || finder })(args);
    const input = place === 'input' ? { withResults: readsResults(policy) } : undefined;
    const editing = redactMessages(args.messages, targets, { ...redaction, input });
    return whenReady(editing, (edited) =>
      edited.found.length === 0 ? unchanged : report(guard, policy.detection(edited.found, place)).then(() => edited.messages),
    );
  };
  /** Edits what memory recalls outside the messages. */
  const editRecalled = (args: HookArgs): Awaitable<void> =>
    whenReady(redactValue(recalledElsewhere(args.messageList), redactionOf(policy)(args)), ({ value, found }) => {
      if (found.length === 0) return undefined;
      args.messageList?.clearSystemMessages('memory');
      args.messageList?.addSystem(value as Parameters<MessageList['addSystem']>[0], 'memory'); // of the same shape
      return report(guard, policy.detection(found, 'input')).then(() => undefined);
    });
  return {
    processInput: (args) => whenReady(editRecalled(args), () => edit(args, args.messages, 'input')),
    processOutputStep: (args) => edit(args, responseMessages(args.messages), 'answer'),
    processOutputResult: (args) => edit(args, responseMessages(args.messages), 'answer'),
    processToolResult: (args) =>
      whenReady(redactValue(currentToolResult(args), redactionOf(policy)(args)), ({ value, found }) => {
        if (found.length === 0) return undefined;
        const detection = policy.detection(found, 'result');
        return replaceToolResult(args, value) ? report(guard, detection) : block(detection, args);
      }),
  };
};

const judgeHooks = <Kind extends string, Metadata>(
  policy: ValuePolicy<Kind, Metadata>,
  guard: Processor,
): MessageHooks<Metadata> => {
  const redaction = redactionOf(policy);
  const judge = judgeWith<Metadata>(guard, policy.effect === 'block' ? 'block' : 'warn');
  const about = (found: readonly ValueSpan<Kind>[], place: ValuePlace) =>
    found.length > 0 ? policy.detection(found, place) : undefined;
  type Context = Parameters<typeof judge>[1] & HookArgs;
  const judgeTexts = (texts: readonly string[], place: ValuePlace, args: Context) =>
    whenReady(paced(redactingTexts(texts, redaction(args)), createPace()), ({ found }) => judge(about(found, place), args));
  return {
    processInput: (args) => {
      const results = readsResults(policy) ? responseMessages(args.messages).flatMap(resultsIn) : [];
      return judgeTexts([...withFiles(newestUserTurn(args.messages)), ...results.map(String)], 'input', args);
    },
    processOutputStep: (args) => judgeTexts(answerTexts(args.messages, args.text), 'answer', args),
    processOutputResult: (args) => judgeTexts(answerTexts(args.messages), 'answer', args),
    processToolResult: (args) =>
      whenReady(redactValue(currentToolResult(args), redaction(args)), ({ found }) => judge(about(found, 'result'), args)),
  };
};

/** A redacted value of a tool, and its findings. */
const redactValue = <Kind extends string>(
  original: unknown,
  redaction: Redaction<ValueSpan<Kind>>,
): Awaitable<{ value: unknown; found: ValueSpan<Kind>[] }> => {
  const found: ValueSpan<Kind>[] = [];
  const pace = createPace();
  const value = editLeaves(original, (text, label) =>
    whenReady(paced(redactingTexts([text], redaction, label), pace), (redacted) => {
      for (const span of redacted.found) found.push(span);
      return redacted.texts[0] ?? '';
    }),
  );
  return whenReady(value, (edited) => ({ value: edited, found }));
};

/** The text of messages, and each text of their files separately. */
const withFiles = (messages: readonly MastraDBMessage[]): string[] => [
  ...messages.flatMap(textsOf),
  ...messages.flatMap(fileTextsOf).flatMap((text) => ['\n', text]),
];

const answerTexts = (messages: readonly MastraDBMessage[], text = ''): string[] => {
  const texts = withFiles(responseMessages(messages));
  return texts.join('').includes(text) ? texts : [...texts, '\n', text];
};
