import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import { numberFrom } from '../../src/option-kind.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { toolResultSignals } from '../injection/score-injection.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import {
  checkOptions,
  judgeStrategies,
  sharedKinds,
  type KindsOf,
  traitsOf,
  unchanged,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  judgeWith,
  type Detection,
} from './guard-options.js';
import { highestScore } from './prompt-injection-guard.js';

export interface ToolDescriptionGuardOptions extends GuardOptions {
  /** The minimum score of a description that gives orders, 0 to 1. Default 0.7. */
  readonly threshold?: number;
  /** Default `'block'`. */
  readonly strategy?: JudgeStrategy;
}

/** Metadata of the tripwire and of `onViolation`. */
export interface ToolDescriptionMetadata {
  readonly toolName: string;
  readonly score: number;
  readonly signals: readonly string[];
}

const optionKinds: KindsOf<ToolDescriptionGuardOptions> = {
  ...sharedKinds,
  threshold: numberFrom(0, 1),
  strategy: judgeStrategies,
};

/**
 * A guard (id `tool-description`) against tools whose name, description or schema gives the model orders, as a foreign
 * MCP server's may. It checks the tools of each step before the model gets them, and each tool once.
 */
export const toolDescriptionGuard = (
  options: ToolDescriptionGuardOptions = {},
): GuardProcessor<'processInputStep', ToolDescriptionMetadata> => {
  checkOptions('tool-description', options, optionKinds);
  const { threshold = 0.7, strategy = 'block' } = options;
  const guard: Processor<string, ToolDescriptionMetadata> = {
    id: options.id ?? 'tool-description',
    name: 'Tool descriptions',
    description: 'Finds instructions to the model in tool definitions.',
    onViolation: options.onViolation,
  };
  const judge = judgeWith<ToolDescriptionMetadata>(guard, strategy);
  const judged = new WeakMap<object, Detection<ToolDescriptionMetadata> | 'clean'>();
  const detectionOf = (toolName: string, tool: unknown): Awaitable<Detection<ToolDescriptionMetadata> | undefined> => {
    const known = typeof tool === 'object' && tool !== null ? judged.get(tool) : undefined;
    if (known) return known === 'clean' ? undefined : known;
    return whenReady(highestScore([[toolName, ...textsIn(tool)].join('\n')], toolResultSignals), ({ score, signals }) => {
      const found =
        score < threshold
          ? undefined
          : { reason: `The tool ${toolName} contains instructions to the model.`, metadata: { toolName, score, signals } };
      if (typeof tool === 'object' && tool !== null) judged.set(tool, found ?? 'clean');
      return found;
    });
  };
  return Object.assign(guard, { traits: traitsOf[strategy] }, {
    processInputStep: async (args: ProcessInputStepArgs<ToolDescriptionMetadata>) => {
      for (const [name, tool] of Object.entries(args.tools ?? {})) {
        const detection = await detectionOf(name, tool);
        if (detection) return judge(detection, args);
      }
      return unchanged;
    },
  } satisfies Partial<Processor<string, ToolDescriptionMetadata>>);
};

/** The texts of a tool that the model receives. */
const textsIn = (tool: unknown): string[] => {
  const { description, inputSchema, parameters, outputSchema } = Object(tool) as Record<string, unknown>;
  return [description, ...[inputSchema, parameters, outputSchema].map(schemaOf)].flatMap(leavesOf).map(String);
};

/** A schema as plain data: JSON Schema unchanged, other schemas as written by their library. */
const schemaOf = (schema: unknown): unknown => {
  const {
    jsonSchema,
    toJSONSchema,
    '~standard': standard,
  } = Object(schema) as {
    jsonSchema?: unknown;
    toJSONSchema?: () => unknown;
    '~standard'?: { jsonSchema?: { input?: (options: { target: string }) => unknown } };
  };
  try {
    if (typeof jsonSchema === 'object') return jsonSchema;
    if (typeof toJSONSchema === 'function') return toJSONSchema.call(schema);
    return standard?.jsonSchema?.input?.({ target: 'draft-07' }) ?? schema;
  } catch {
    return schema; // a schema without a form in JSON
  }
};
