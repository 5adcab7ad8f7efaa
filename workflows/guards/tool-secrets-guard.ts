import type { Processor } from '@mastra/core/processors';
import { createPace, finding, inTurn, paced } from '../../src/guard/in-steps.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';
import { combineFinders, countKinds } from '../patterns/combine-finders.js';
import { findersOf, valueKinds, type ValueKind } from '../patterns/value-kinds.js';
import { labelledLeavesOf } from '../../src/guard/map-texts.js';
import {
  block,
  judgeWith,
  type Detection,
  traitsOf,
  type GuardOptions,
  type GuardProcessor,
  guardForm,
} from './guard-options.js';
import { aText, listOf, oneOf } from '../../src/option-kind.js';

export interface ToolSecretsGuardOptions extends GuardOptions {
  /** The values that a tool must not get. Default: `api-key`, `bearer`, `jwt`, `pem`, `secret`, `url-credentials`. */
  readonly kinds?: readonly ValueKind[];
  /** Tools that may get secrets, by name. Default: none. */
  readonly exceptTools?: readonly string[];
}

/** Metadata of the tripwire; never a value. */
export interface ToolSecretsMetadata {
  readonly toolName: string;
  /** The number of findings by kind. */
  readonly found: Partial<Record<ValueKind, number>>;
}

interface Call {
  readonly toolName: string;
  readonly args?: unknown;
}

export const form = guardForm<ToolSecretsGuardOptions>(['tool-secrets', 'Secrets in tool arguments'], {
  kinds: listOf(oneOf(...valueKinds)),
  exceptTools: listOf(aText),
});

/**
 * A guard (id `tool-secrets`) that blocks a tool call with a secret in its arguments, in the stream and once more before the
 * step's tools run. In an `InterlockAgent`, and in Mastra's own agent with `guardsFor`, no tool of the step runs then.
 */
export const toolSecretsGuard = (
  options: ToolSecretsGuardOptions = {},
): GuardProcessor<'processOutputStream' | 'processOutputStep'> => {
  form.check(options);
  const { kinds = ['api-key', 'bearer', 'jwt', 'pem', 'secret', 'url-credentials'], exceptTools = [] } = options;
  const finder = combineFinders(findersOf(kinds));
  const detectionOf = ({ toolName, args }: Call): Awaitable<Detection<ToolSecretsMetadata> | undefined> => {
    if (exceptTools.includes(toolName)) return undefined;
    const pace = createPace();
    return whenReady(
      inTurn(labelledLeavesOf(args), ({ leaf, label }) => paced(finding(finder, String(leaf), label), pace)),
      (found) => {
        const spans = found.flat();
        if (spans.length === 0) return undefined;
        return {
          reason: `A call of ${toolName} has a secret in its arguments.`,
          metadata: { toolName, found: countKinds(spans) },
        };
      },
    );
  };
  const guard = form.open<ToolSecretsMetadata>(options, `Blocks tool calls with ${kinds.join(', ')} in their arguments.`);
  const judge = judgeWith<ToolSecretsMetadata>(guard, 'block');
  return Object.assign(guard, { traits: traitsOf.block }, {
    processOutputStream: async (args) => {
      const detection = args.part.type === 'tool-call' ? await detectionOf(args.part.payload) : undefined;
      return detection ? block(detection, args) : args.part;
    },
    processOutputStep: (args) =>
      whenReady(
        inTurn(args.toolCalls ?? [], ({ toolName, args: callArgs }) => detectionOf({ toolName, args: callArgs })),
        (detections) => judge(detections.find(Boolean), args),
      ),
  } satisfies Partial<Processor<string, ToolSecretsMetadata>>);
};
