/** The page of a pipeline. */
export const pipelineHref = (id: string): string => `/pipelines/${encodeURIComponent(id)}`;
