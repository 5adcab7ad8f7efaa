import { whenReady } from '../../phase/awaitable.js';
import { unavailable, type Layer } from './layer.js';

/**
 * `overlap`: the guard has promised to judge only. By the time it answers the model has its input, so that an edit cannot be
 * honoured: it counts as no verdict, with `guard/overlap-edits`.
 */
export const judgingOnly: Layer =
  (inner, { author }) =>
  (data, scope) =>
    whenReady(inner(data, scope), (verdict) => (verdict.kind === 'edit' ? unavailable(author, 'guard/overlap-edits') : verdict));
