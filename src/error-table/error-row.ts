/**
 * `actor` is the role that can fix it: the `author` of the pipeline or agent, the `operator` who runs it, the `caller` of one run, or
 * the `provider` of the model.
 */
export interface ErrorRow {
  actor: 'author' | 'operator' | 'caller' | 'provider';
  say: string;
  /** The HTTP status of a server's response to a request that raises it. Default: 500. */
  status?: number;
}
