/** The page of a pipeline, with the guard of a path selected. */
export const pipelineHref = (id: string, guard?: string): string =>
  `/pipelines/${encodeURIComponent(id)}${guard === undefined ? '' : `?guard=${encodeURIComponent(guard)}`}`;
