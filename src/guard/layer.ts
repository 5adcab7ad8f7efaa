import type { Awaitable } from '../phase/awaitable.js';

export type Next<In, Out> = (value: In) => Awaitable<Out>;

/** Something around a guard: it may look at what goes in and what comes out, and decides whether the inside runs at all. */
export type Layer<In, Out> = (value: In, next: Next<In, Out>) => Awaitable<Out>;

/** Folds layers around a last call, outermost first. Done once, when a plan is built. */
export const compose = <In, Out>(layers: readonly Layer<In, Out>[], last: Next<In, Out>): Next<In, Out> =>
  layers.reduceRight<Next<In, Out>>((inner, layer) => (value) => layer(value, inner), last);
