import { otherwise, pipeline, type Condition, type Pipeline, type PipelineStep } from '../../src/index.js';
import type { Overlap } from '../../src/pipeline/overlap.js';
import { processorOf, type Acting } from './acting.js';
import type { Rule, SequenceSpec, Spec, Stale, When } from './spec.js';

/** Builds a drawn pipeline with our builder. */
export const build = (spec: SequenceSpec, acting: Acting): Pipeline => {
  const own = pipeline(spec.id);
  for (const node of spec.nodes) append(own, node, acting);
  return own;
};

const append = (own: Pipeline, spec: Spec, acting: Acting): void => {
  switch (spec.kind) {
    case 'guard':
    case 'function':
    case 'sequence':
      own.then(stepOf(spec, acting));
      return;
    case 'map':
      own.map(maps[spec.pick]);
      return;
    case 'parallel':
      own.parallel(
        spec.nodes.map((node) => stepOf(node, acting)),
        optionsOf(spec),
      );
      return;
    case 'branch':
      own.branch(
        spec.arms.map(({ when, node }) => [conditionOf(when, acting), stepOf(node, acting)] as const),
        optionsOf(spec),
      );
      return;
    default:
      spec satisfies never;
  }
};

const stepOf = (spec: Spec, acting: Acting): PipelineStep => {
  switch (spec.kind) {
    case 'guard':
      return processorOf(spec, acting);
    case 'function':
      return Object.defineProperty((payload: object) => (spec.sets ? { ...payload, retryCount: 3 } : undefined), 'name', {
        value: spec.id,
      }) as PipelineStep;
    case 'sequence':
      return build(spec, acting);
    case 'map':
    case 'parallel':
    case 'branch': {
      const room = pipeline(`room-of-${acting.unique()}`);
      append(room, spec, acting);
      return room;
    }
    default:
      return spec satisfies never;
  }
};

const optionsOf = ({ rule, stale }: { rule: Rule; stale: Stale }) => ({
  overlap: rule === 'longest' ? longest : rule,
  staleVerdicts: stale,
});

/** A custom rule. */
const longest = ({ edits }: Overlap): unknown => edits.map(({ value }) => value).toSorted((a, b) => sizeOf(b) - sizeOf(a))[0];

const sizeOf = (value: unknown): number => (value === undefined ? 0 : JSON.stringify(value).length);

export const maps = {
  nothing: () => undefined,
  first: ({ inputData }: { inputData: object }) => ('phase' in inputData ? inputData : Object.values(inputData)[0]),
  retryCount: ({ inputData }: { inputData: object }) => ({
    ...('phase' in inputData ? inputData : (Object.values(inputData)[0] as object)),
    retryCount: 2,
  }),
};

export const conditionOf = (when: When, { moments }: Acting): Condition => {
  const has = (word: number): Condition => {
    const text = new RegExp(`\\bw${word}\\b`);
    return ({ inputData }) => text.test(wordsIn(inputData));
  };
  switch (when.kind) {
    case 'always':
      return () => true;
    case 'otherwise':
      return otherwise;
    case 'has':
      return has(when.word);
    case 'later has': {
      const holds = has(when.word);
      return async (context) => {
        await moments.until(when.word);
        return holds(context);
      };
    }
    case 'throws':
      return () => {
        throw new Error('no answer');
      };
    default:
      return when satisfies never;
  }
};

/** The words of a payload that conditions read. */
const wordsIn = (payload: object): string => {
  const { messages, part, prompt } = payload as { messages?: unknown; part?: unknown; prompt?: unknown };
  return JSON.stringify([messages, part, prompt]);
};
