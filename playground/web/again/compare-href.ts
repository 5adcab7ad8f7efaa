/** The address of the page that compares two runs. */
export const compareHref = (runId: string, otherId: string): string =>
  `/runs/${encodeURIComponent(runId)}/compare/${encodeURIComponent(otherId)}`;
