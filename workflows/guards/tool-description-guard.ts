import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors';
import { anObject, numberFrom } from '../../src/option-kind.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { toolResultSignals } from '../injection/score-injection.js';
import { leavesOf } from '../../src/guard/map-texts.js';
import {
  judgeStrategies,
  guardForm,
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
  /**
   * The known hash of each tool's texts, by the tool's name: a tool whose texts changed, and one that is not listed, is a finding. The
   * metadata of a finding has the hash. Default: any texts.
   */
  readonly pins?: Readonly<Record<string, string>>;
  /** Default `'block'`. */
  readonly strategy?: JudgeStrategy;
}

/** Metadata of the tripwire and of `onViolation`. */
export interface ToolDescriptionMetadata {
  readonly toolName: string;
  readonly score: number;
  /** With a text that is not the pinned one: `not-pinned`. */
  readonly signals: readonly string[];
  /** With `pins`: the hash of the tool's texts. */
  readonly hash?: string;
}

const form = guardForm<ToolDescriptionGuardOptions>(['tool-description', 'Tool descriptions'], {
  threshold: numberFrom(0, 1),
  pins: anObject,
  strategy: judgeStrategies,
});

/**
 * A guard (id `tool-description`) against tools whose name, description or schema gives the model orders, as a foreign
 * MCP server's may. It checks the tools of each step before the model gets them, and each tool once.
 */
export const toolDescriptionGuard = (options: ToolDescriptionGuardOptions = {}): GuardProcessor<'processInputStep'> => {
  form.check(options);
  const { threshold = 0.7, strategy = 'block', pins } = options;
  const guard = form.open<ToolDescriptionMetadata>(options, 'Finds instructions to the model in tool definitions.');
  const judge = judgeWith<ToolDescriptionMetadata>(guard, strategy);
  const judged = new WeakMap<object, Detection<ToolDescriptionMetadata> | 'clean'>();
  const detectionOf = (toolName: string, tool: unknown): Awaitable<Detection<ToolDescriptionMetadata> | undefined> => {
    const known = typeof tool === 'object' && tool !== null ? judged.get(tool) : undefined;
    if (known) return known === 'clean' ? undefined : known;
    const text = [toolName, ...textsIn(tool)].join('\n');
    const hash = pins && bytesToHex(sha256(utf8ToBytes(text)));
    return whenReady(highestScore([text], toolResultSignals), ({ score, signals }) => {
      const metadata = { toolName, score, ...(hash && { hash }) };
      const found =
        score >= threshold
          ? { reason: `The tool ${toolName} contains instructions to the model.`, metadata: { ...metadata, signals } }
          : hash && pins?.[toolName] !== hash
            ? {
                reason: `The description of the tool ${toolName} is not the pinned one.`,
                metadata: { ...metadata, signals: ['not-pinned'] },
              }
            : undefined;
      if (typeof tool === 'object' && tool !== null) judged.set(tool, found ?? 'clean');
      return found;
    });
  };
  return Object.assign(guard, { traits: traitsOf[strategy] }, {
    processInputStep: async (args: ProcessInputStepArgs<ToolDescriptionMetadata>) => {
      for (const [name, tool] of Object.entries(args.tools ?? {})) {
        const detection = await detectionOf(name, tool);
        if (detection) await judge(detection, args);
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
