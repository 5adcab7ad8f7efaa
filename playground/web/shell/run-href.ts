/** The path of the page of a run. */
export const runPagePath = '/runs/:runId';

export const runHref = (runId: string, at?: number): string =>
  `/runs/${encodeURIComponent(runId)}${at === undefined ? '' : `?at=${at}`}`;
