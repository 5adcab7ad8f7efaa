import type { AnyExportedSpan } from '@mastra/core/observability';

export interface SpanNode {
  readonly type: string;
  readonly name: string;
  readonly attributes: unknown;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: unknown;
  readonly children: readonly SpanNode[];
}

/** The spans of all traces, each under its parent, in order of their start. */
export const spanTree = (spans: readonly AnyExportedSpan[]): SpanNode[] => {
  const ids = new Set(spans.map(({ id }) => id));
  const under = (parent: string | undefined): SpanNode[] =>
    spans
      .filter(({ parentSpanId }) => (parentSpanId && ids.has(parentSpanId) ? parentSpanId : undefined) === parent)
      .map(({ id, type, name, attributes, input, output, errorInfo }) => ({
        type,
        name,
        attributes,
        input: input as unknown,
        output: output as unknown,
        error: errorInfo,
        children: under(id),
      }));
  return under(undefined);
};
