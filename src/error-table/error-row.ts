/**
 * `actor` says who must act: the `author` of the pipeline or agent, the `operator` who runs it, the `caller` of one run, or
 * the `provider` of the model.
 */
export interface ErrorRow {
  actor: 'author' | 'operator' | 'caller' | 'provider';
  say: string;
  /** What a server answers a request with that raises it, as an HTTP status; 500 unless told. */
  status?: number;
}
