import { whenReady } from '../../phase/awaitable.js';
import { unavailable, type Layer } from './layer.js';

/**
 * `overlap`: the guard may only judge. The model already has its input when the verdict comes, so that an edit cannot be applied: it
 * counts as no verdict, with `guard/overlap-edits`.
 */
export const withoutEdits: Layer =
  (inner, { author }) =>
  (data, scope) =>
    whenReady(inner(data, scope), (verdict) => (verdict.kind === 'edit' ? unavailable(author, 'guard/overlap-edits') : verdict));
