import fc from 'fast-check';

import type { Act, SequenceSpec, Spec, When } from './spec.js';

const word = fc.nat(8);
const inPlace = fc.boolean();

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Act>({ kind: 'pass' }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('redact' as const), word, inPlace }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('append' as const), word, inPlace }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add' as const), inPlace }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(2), inPlace }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('set' as const), value: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ kind: 'trip' }, { kind: 'retry' }, { kind: 'throw' }, { kind: 'absent' }) },
);

const when: fc.Arbitrary<When> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('has' as const, 'later has' as const), word: fc.nat(11) }) },
  { weight: 1, arbitrary: fc.constant<When>({ kind: 'always' }) },
  { weight: 2, arbitrary: fc.constant<When>({ kind: 'otherwise' }) },
  { weight: 1, arbitrary: fc.constant<When>({ kind: 'throws' }) },
);

const rule = fc.constantFrom('widest-redaction' as const, 'first' as const, 'last' as const, 'longest' as const);
const stale = fc.constantFrom('report' as const, 'rerun' as const);
const delay = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });

/** Names and moments are set afterwards, so that they differ; see `named`. */
const leaf: fc.Arbitrary<Spec> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('guard' as const), id: fc.constant(''), act, delay }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('function' as const), id: fc.constant(''), sets: fc.boolean() }) },
);
const map: fc.Arbitrary<Spec> = fc.record({
  kind: fc.constant('map' as const),
  pick: fc.constantFrom('nothing' as const, 'first' as const, 'retryCount' as const),
});

const { graph } = fc.letrec<{ node: Spec; inner: Spec; graph: SequenceSpec }>((tie) => ({
  graph: fc.record({
    kind: fc.constant('sequence' as const),
    id: fc.constant(''),
    nodes: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
  }),
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    { weight: 6, arbitrary: leaf },
    { weight: 1, arbitrary: map },
    { weight: 5, arbitrary: tie('inner') },
  ),
  inner: fc.oneof(
    fc.record({
      kind: fc.constant('parallel' as const),
      nodes: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      rule,
      stale,
    }),
    fc.record({
      kind: fc.constant('branch' as const),
      arms: fc.array(fc.record({ when, node: tie('node') }), { minLength: 1, maxLength: 3 }),
      rule,
      stale,
    }),
    tie('graph'),
  ),
}));

/** Draws pipelines up to four levels deep. */
export const pipelines: fc.Arbitrary<SequenceSpec> = graph.map((spec) => named(spec, createNames()) as SequenceSpec);

interface Names {
  readonly guard: () => string;
  readonly other: (kind: string) => string;
  /** A moment at which no other guard trips. */
  readonly moment: (drawn: number | undefined) => number | undefined;
}

const createNames = (): Names => {
  let [guards, others, moments] = [0, 0, 0];
  return {
    guard: () => `g${(guards += 1)}`,
    other: (kind) => `${kind}${(others += 1)}`,
    // The first may trip at once. Of several parallel trips the earlier counts, so each has a different moment.
    moment: (drawn) => ((moments += 1) === 1 && drawn === undefined ? undefined : 10 * moments + (drawn ?? 0)),
  };
};

const named = (spec: Spec, names: Names): Spec => {
  switch (spec.kind) {
    case 'guard':
      return { ...spec, id: names.guard(), delay: spec.act.kind === 'trip' ? names.moment(spec.delay) : spec.delay };
    case 'function':
      return { ...spec, id: names.other('function') };
    case 'map':
      return spec;
    case 'sequence':
      return { ...spec, id: names.other('p'), nodes: spec.nodes.map((node) => named(node, names)) };
    case 'parallel':
      return { ...spec, nodes: spec.nodes.map((node) => named(node, names)) };
    case 'branch':
      return { ...spec, arms: spec.arms.map((arm) => ({ ...arm, node: named(arm.node, names) })) };
    default:
      return spec satisfies never;
  }
};
