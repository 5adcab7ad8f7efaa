import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessToolResultArgs, Processor } from '@mastra/core/processors';
import { newestUserTurn, responseMessages, textsOf } from '../messages/message-text.js';
import { redactMessages } from '../messages/redact-message.js';
import { currentToolResult, replaceToolResult } from '../messages/tool-result.js';
import type { PiiSpan } from '../pii/find-pii.js';
import { piiPolicy, type PiiMetadata, type PiiPlace, type PiiPolicy, type PiiPolicyOptions } from '../pii/pii-policy.js';
import { readTail } from '../stream/text-tail.js';
import { mapLeaves } from '../text/map-leaves.js';
import { redactTexts } from '../text/redact-texts.js';
import { block, judgeWith, report } from './detection.js';
import { unchanged, type GuardOptions, type GuardProcessor, type JudgeStrategy } from './guard-options.js';

export type PiiGuardOptions = GuardOptions & PiiPolicyOptions;

type PiiProcessor = Processor<string, PiiMetadata>;

/**
 * A guard (id `pii`) for personal values in the input, in tool results and in answers. Values are validated by libraries made
 * for them, see `findPii`.
 *
 * - Input: `redact` edits every message that came in, `block` and `warn` judge the user's newest turn.
 * - Answers: the assistant's text since the user last spoke, after each step and at the end.
 * - Tool results: every string, key and long number in them. A result that cannot be replaced is blocked instead.
 *
 * In messages only text parts are read and edited; reasoning, files and tool arguments are not.
 *
 * **Streams.** `redact` and `warn` do not touch a stream: its words have left when the step is judged. `block` watches it: a
 * value is found when its last piece comes, also where it was cut over several deltas of a text, and that piece does not leave.
 * The pieces before it have left by then, since a stream hook gives one chunk for one chunk and cannot hold text back to the
 * end; holding back is the work of the release gate.
 */
export const piiGuard = (options: PiiGuardOptions = {}): PiiProcessor & PiiHooks => {
  const policy = piiPolicy(options);
  const { kinds, strategy } = policy;
  const guard: PiiProcessor = {
    id: options.id ?? 'pii',
    name: 'Personal data',
    description: `Finds personal data (${kinds.join(', ')}); what is found it will ${strategy === 'warn' ? 'report' : strategy}.`,
    onViolation: options.onViolation,
  };
  const hooks = strategy === 'redact' ? redactingHooks(policy, guard) : judgingHooks(policy, strategy, guard);
  return Object.assign(guard, hooks);
};

type PiiHooks = Omit<
  GuardProcessor<'processInput' | 'processOutputStep' | 'processOutputResult' | 'processToolResult', PiiMetadata>,
  'id'
>;

const redactingHooks = (policy: PiiPolicy, guard: Processor): PiiHooks => {
  const redact = (messages: MastraDBMessage[], which: readonly MastraDBMessage[], place: PiiPlace) => {
    const edited = redactMessages(messages, which, policy.redaction);
    const detection = policy.detection(edited.found, place);
    return detection ? report(guard, detection).then(() => edited.messages) : unchanged;
  };
  return {
    processInput: ({ messages }) => redact(messages, messages, 'input'),
    processOutputStep: ({ messages }) => redact(messages, responseMessages(messages), 'answer'),
    processOutputResult: ({ messages }) => redact(messages, responseMessages(messages), 'answer'),
    processToolResult: (args: ProcessToolResultArgs<PiiMetadata>) => {
      const found: PiiSpan[] = [];
      const redacted = mapLeaves(currentToolResult(args), (leaf) => policy.editLeaf(leaf, found));
      const detection = policy.detection(found, 'tool result');
      if (!detection) return undefined;
      return replaceToolResult(args, redacted) ? report(guard, detection) : block(detection, args);
    },
  };
};

const judgingHooks = (policy: PiiPolicy, strategy: JudgeStrategy, guard: Processor): PiiHooks => {
  const judge = judgeWith<PiiMetadata>(guard, strategy);
  const inTexts = (texts: readonly string[], place: PiiPlace) =>
    policy.detection(redactTexts(texts, policy.redaction).found, place);
  return {
    processInput: (args) => judge(inTexts(newestUserTurn(args.messages).flatMap(textsOf), 'input'), args),
    processOutputStep: (args) => judge(inTexts(answerTexts(args.messages, args.text), 'answer'), args),
    processOutputResult: (args) => judge(inTexts(answerTexts(args.messages), 'answer'), args),
    processToolResult: (args) => {
      const found: PiiSpan[] = [];
      mapLeaves(currentToolResult(args), (leaf) => policy.editLeaf(leaf, found));
      return judge(policy.detection(found, 'tool result'), args);
    },
    ...(strategy === 'block' && {
      processOutputStream: async (args) => {
        const detection = policy.detection(readTail(args.state, args.part, policy.redaction), 'answer');
        return detection ? block(detection, args) : args.part;
      },
    }),
  };
};

const answerTexts = (messages: readonly MastraDBMessage[], text = ''): string[] => {
  const texts = responseMessages(messages).flatMap(textsOf);
  return texts.join('').includes(text) ? texts : [...texts, '\n', text];
};
