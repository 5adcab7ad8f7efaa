import { isInternal } from '../internal-processors.js';
import { EntityType, SpanType, type AnySpan, type TracingContext } from '@mastra/core/observability';
import type { Processor } from '@mastra/core/processors';
import type { RunEvent } from '../../../schemas/index.js';
import type { Lanes } from '../../loop/run.js';
import type { AnyRow, Phase } from '../../phase/row.js';
import type { GuardCall, GuardSpan, RunScope } from '../../phase/scope.js';
import { isPerChunk, phaseRow } from '../../phase/table.js';
import { processorsOf } from '../../pipeline/graph.js';
import type { Author, Verdict } from '../../verdict.js';
import { inheriting, fieldsIn, computed } from '../../phase/plain-data.js';
import { attempted } from '../../phase/awaitable.js';

interface GuardTracing {
  readonly lanes: Lanes;
  /** Names tools in spans without text. Undefined if spans contain the input and output of guards. */
  readonly nameTool: NameTool | undefined;
  /** True for a guard outside of the arrays that makes no span. */
  isHidden(author: Author): boolean;
  /** The error of a failed guard, without quotations of the conversation. */
  errorOf(error: unknown): Error;
  /** The parent span of a guard in a phase. */
  parentOf(row: Row): AnySpan;
}

type Row = Pick<AnyRow<Phase>, 'phase' | 'cadence' | 'lane' | 'title'>;

/** The span of a stream guard in one step, for all its chunks. */
interface StreamSpan {
  readonly span: AnySpan;
  readonly scopes: WeakMap<RunScope, RunScope>;
}

/** Creates spans for the guards of one run. */
export const createGuardSpans = (tracing: GuardTracing) => {
  const known = knownProcessors(tracing.lanes);
  const streams = new Map<string, StreamSpan>();
  const start = (author: Author, input?: object): AnySpan => {
    const row: Row = phaseRow(author.phase);
    return tracing.parentOf(row).createChildSpan({ ...spanOf(author, row, known.get(author.processorId)), input });
  };
  const streamOf = (author: Author): StreamSpan =>
    computed(streams, author.path, () => ({ span: start(author), scopes: new WeakMap() }));
  return {
    open: ({ author, data, scope }: GuardCall): GuardSpan => {
      if (isInternal(known.get(author.processorId)?.processor) || tracing.isHidden(author))
        return { scope, end: () => undefined };
      if (isPerChunk(author.phase)) {
        const { span, scopes } = streamOf(author);
        return { scope: computed(scopes, scope, () => inSpan(scope, span)), end: () => undefined }; // see hear
      }
      const span = start(author, describePayload(data, tracing.nameTool));
      return { scope: inSpan(scope, span), end: (verdict) => endWith(span, verdict, { ...tracing, data }) };
    },
    /** Outcomes of stream guards are reported once for all chunks of a step. */
    onEvent: (event: Extract<RunEvent, { type: 'guard' }>): void => {
      const { phase, path, processorId, verdict, calls, edits, durationMs, ...fields } = event;
      if (!isPerChunk(phase)) return;
      const { span } = streamOf({ processorId, phase, path });
      if (verdict === 'pass' || verdict === 'edit') {
        streams.delete(path); // later chunks of the step get a new span
        return span.end({ output: { verdict, totalChunks: calls, edits }, attributes: { hookDurationMs: durationMs } });
      }
      return span.error({ error: new Error(fields.reason ?? verdict), attributes: abortOf({ kind: verdict, ...fields }) });
    },
    /** Called after the last chunk of a step. */
    endOfStep: (): void => {
      for (const { span } of streams.values()) span.end();
      streams.clear();
    },
  };
};

/** The processors of a run by id, each with its index in its array. */
const knownProcessors = (lanes: Lanes): Map<string, { processor: Processor; index: number }> =>
  new Map(
    Object.values(lanes).flatMap((plan) =>
      plan ? processorsOf(plan.graph).map((processor, index) => [processor.id, { processor, index }] as const) : [],
    ),
  );

/** The same scope with a span as the parent of its traces. */
const inSpan = (scope: RunScope, span: AnySpan): RunScope =>
  inheriting(scope, { tracingContext: { currentSpan: span } satisfies TracingContext });

type Declared = Partial<Pick<Processor, 'name' | 'spanType' | 'spanName' | 'spanAttributes'>>;

/** The options of a span as in Mastra's runner, with the processor's declarations. */
const spanOf = (author: Author, row: Row, known: { processor: Declared; index: number } | undefined) => {
  const { name, spanType, spanName, spanAttributes } = known?.processor ?? {};
  const { recorded, declared } = phaseNamesOf(row);
  return {
    type: spanType ?? SpanType.PROCESSOR_RUN,
    name:
      (typeof spanName === 'function' ? spanName(declared) : spanName) ??
      `${row.title.toLowerCase()} processor: ${author.processorId}`,
    entityType: entityOf(row),
    entityId: author.processorId,
    entityName: name ?? author.processorId,
    attributes: {
      ...(typeof spanAttributes === 'function' ? spanAttributes(declared) : spanAttributes),
      processorIndex: known?.index,
      processorPhase: recorded,
    } as never, // depends on the span's type
    metadata: { path: author.path },
  };
};

type SpanPhase = Parameters<Extract<NonNullable<Processor['spanName']>, (...args: never[]) => unknown>>[0];

/** Mastra's names: those of the table, except for failed calls. For declarations both hooks of the output are one phase. */
const phaseNamesOf = ({ phase, cadence, lane }: Row): { recorded: string; declared: SpanPhase } => {
  const recorded = cadence === 'error' ? 'requestError' : phase;
  const isOutput = lane === 'output' && (cadence === 'chunk' || cadence === 'once');
  return { recorded, declared: (isOutput ? 'output' : recorded) as SpanPhase };
};

/** A judged payload. */
interface Judgement extends Pick<GuardTracing, 'nameTool' | 'errorOf'> {
  readonly data: object;
}

const entityOf = ({ cadence, lane }: Row): EntityType => {
  if (cadence === 'tool') return EntityType.TOOL_RESULT_PROCESSOR;
  const isStep = cadence === 'step';
  if (lane === 'input') return isStep ? EntityType.INPUT_STEP_PROCESSOR : EntityType.INPUT_PROCESSOR;
  return isStep || lane === 'error' ? EntityType.OUTPUT_STEP_PROCESSOR : EntityType.OUTPUT_PROCESSOR;
};

const endWith = (span: AnySpan, verdict: Verdict<unknown>, { data, nameTool, errorOf }: Judgement): void => {
  switch (verdict.kind) {
    case 'pass':
      return span.end({ output: { verdict: verdict.kind, ...(verdict.bypass && { bypass: verdict.bypass.reason }) } });
    case 'edit':
      return span.end({ output: { verdict: verdict.kind, ...changedIn(data, verdict.data, nameTool) } });
    case 'trip':
    case 'retry':
      return span.error({ error: new Error(verdict.reason), attributes: abortOf(verdict) });
    case 'unavailable':
      return span.error({ error: errorOf(verdict.error) });
    default:
      return verdict satisfies never;
  }
};

const abortOf = ({ kind, reason, metadata }: { kind: string; reason?: string; metadata?: unknown }): object => ({
  tripwireAbort: { reason, retry: kind === 'retry', metadata },
});

/** The changed fields of a payload. */
const changedIn = (before: object, after: unknown, nameTool: NameTool | undefined): object => {
  const own = fieldsIn(before);
  return describePayload(
    Object.fromEntries(Object.entries(fieldsIn(after)).filter(([name, value]) => own[name] !== value)),
    nameTool,
  );
};

/** Fields about the position and kind of a judgement, which contain no text of the conversation. */
const facts = new Set([
  'id',
  'role',
  'format',
  'createdAt',
  'type',
  'stepNumber',
  'retryCount',
  'messageId',
  'runId',
  'toolCallId',
  'finishReason',
  'providerExecuted',
  'fromCache',
  'decision',
  'toolChoice',
  'activeTools',
  'usage',
]);

/** Fields with the host's structure, which are processed recursively. */
const forms = new Set(['messages', 'systemMessages', 'prompt', 'content', 'parts', 'toolInvocation', 'toolCalls']);

/** Fields of a payload that are not judged: the list is in `messages`, and the others are internal to the run. */
const unsaid = new Set(['phase', 'messageList', 'state', 'streamParts', 'part', 'chunks']);

/** The name of a tool in spans without text: the model may have made it up. */
type NameTool = (toolName: string) => string;

/** The description of a payload for a trace: all serializable fields; text only without `nameTool`. */
const describePayload = (payload: object, nameTool: NameTool | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(payload).flatMap(([name, value]: [string, unknown]) => {
      if (unsaid.has(name) || value === undefined) return [];
      const own = shortForms[name]?.(value);
      return [[name, own ?? (nameTool ? redactedValue(value, name, nameTool) : value)]];
    }),
  );

/** Short forms of fields that are too large or not serializable. */
const shortForms: Record<string, ((value: unknown) => unknown) | undefined> = {
  model: (value) => {
    const { modelId, provider, specificationVersion } = fieldsIn(value);
    return { modelId, provider, specificationVersion };
  },
  tools: (value) => Object.keys(fieldsIn(value)),
  steps: (value) => ({ count: [value].flat().length }),
};

/** A value with lengths in place of its texts. Values of unknown structure count as text. */
export const redactedValue = (value: unknown, name: string, nameTool?: NameTool): unknown => {
  if (name === 'toolName' && nameTool) return nameTool(String(value));
  if (value === undefined || value === null || typeof value === 'boolean' || facts.has(name)) return value;
  if (typeof value !== 'object' || !forms.has(name)) return lengthOf(value);
  if (!Array.isArray(value)) return formOf(value, nameTool);
  return value.map((item: unknown) => (typeof item === 'object' ? formOf(item, nameTool) : lengthOf(item)));
};

const formOf = (value: object | null, nameTool?: NameTool): unknown =>
  value &&
  Object.fromEntries(
    Object.entries(value).map(([name, inner]: [string, unknown]) => [name, redactedValue(inner, name, nameTool)]),
  );

const lengthOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : attempted(() => JSON.stringify(value));
  return text === undefined ? 'not shown' : `${text.length} characters`;
};
