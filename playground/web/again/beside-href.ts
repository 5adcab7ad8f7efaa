/** The address of two runs beside each other. */
export const besideHref = (runId: string, otherId: string): string =>
  `/runs/${encodeURIComponent(runId)}/beside/${encodeURIComponent(otherId)}`;
