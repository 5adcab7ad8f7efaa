import { InterlockError } from '../../src/errors.js';
import { callJudge, type JudgeLanguageModel } from './call-judge.js';

type Words = string | object;

interface Question {
  readonly type: string;
  readonly instructions?: Words | null;
  readonly criteria?: object | null;
}

/** The implemented part of the AI SDK's `EvaluationModelV4`, copied so that its types need no package. */
interface EvaluationModel {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedQuestionTypes: readonly 'boolean'[];
  doEvaluate(options: { state: unknown; questions: Readonly<Record<string, Question>>; abortSignal?: AbortSignal }): Promise<{
    answers: Record<string, { type: 'boolean'; probability: number }>;
    usage: { inputTokens: number | undefined; outputTokens: number | undefined };
    warnings: never[];
  }>;
}

/**
 * Turns any language model of the AI SDK into an evaluation model for Mastra's `Classifier`, `ClassifierProcessor` and classifier
 * scorers. It handles questions of type `boolean` like {@link judgeGuard}: material as data, a nonce, verified evidence,
 * one repair, and no default answer.
 *
 * @example
 * const classifier = new Classifier({ id: 'refunds', model: judgeModel(openai('gpt-5-mini')), questions });
 */
export const judgeModel = (model: JudgeLanguageModel): EvaluationModel => ({
  specificationVersion: 'v4',
  provider: model.provider,
  modelId: model.modelId,
  supportedQuestionTypes: ['boolean'],
  doEvaluate: async ({ state, questions, abortSignal }) => {
    const rules = Object.entries(questions).map(([name, question]) => {
      if (question.type !== 'boolean') throw unsupported(`a question of type ${question.type}`);
      const { true: yes, false: no } = (question.criteria ?? {}) as { true?: Words; false?: Words };
      const criteria = [yes && `Yes: ${textOf(yes)}`, no && `No: ${textOf(no)}`].filter(Boolean);
      return [name, { rule: [textOf(question.instructions ?? name), ...criteria].join(' '), evidence: false }] as const;
    });
    const judged = (Array.isArray(state) ? (state as readonly unknown[]) : [state]).map(judgedText);
    const material = { judged: judged.join('\n') };
    const { probabilities, usage } = await callJudge(model, Object.fromEntries(rules), { material, signal: abortSignal });
    const answers = Object.entries(probabilities).map(([name, probability]) => [name, { type: 'boolean' as const, probability }]);
    return {
      answers: Object.fromEntries(answers),
      usage: { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens },
      warnings: [],
    };
  },
});

const textOf = (input: Words): string => (typeof input === 'string' ? input : JSON.stringify(input));

/** A part of the state in the AI SDK's format, or plain data from Mastra. */
const judgedText = (part: unknown): string => {
  if (typeof part === 'string') return part;
  const { type, text, value } = Object(part) as { type?: unknown; text?: unknown; value?: unknown };
  if (type === 'file') throw unsupported('a file');
  if (type === 'text' && typeof text === 'string') return text;
  return JSON.stringify(type === 'json' ? value : part) ?? '';
};

const unsupported = (feature: string): InterlockError =>
  new InterlockError('guard/invalid-option', { path: 'judgeModel', detail: `it cannot judge ${feature}.` });
