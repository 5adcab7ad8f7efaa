/**
 * `actor` is the role that can fix the error: the `author` of the pipeline or agent, the `operator` of the service, the `caller`
 * of one run, or the `provider` of the model.
 */
export interface ErrorRow {
  actor: 'author' | 'operator' | 'caller' | 'provider';
  say: string;
  /** The HTTP status of a server's response to a request that raises it. Default: 500. */
  status?: number;
  /** Mastra's id of such an error; its routes read it. */
  id?: string;
}

/** Checks a group of rows. The type lists only the codes, because the sentences would fill two thirds of an editor's hint. */
export const errorRows = <Code extends `${string}/${string}`>(
  rows: Readonly<Record<Code, ErrorRow>>,
): Readonly<Record<Code, ErrorRow>> => rows;
