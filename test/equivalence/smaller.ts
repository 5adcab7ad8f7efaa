import { inside, type SequenceSpec, type Spec } from './spec.js';

/** The smallest pipeline, step by step, that still fails. */
export const smallest = async (spec: SequenceSpec, fails: (spec: SequenceSpec) => Promise<boolean>): Promise<SequenceSpec> => {
  for (const one of smaller(spec)) if (one.kind === 'sequence' && (await fails(one))) return smallest(one, fails);
  return spec;
};

/** All specs that are one step simpler, the simplest first. */
const smaller = (spec: Spec): Spec[] => [...inside(spec), ...fewer(spec), ...plainer(spec), ...within(spec)];

/** Without one of the specs inside. */
const fewer = (spec: Spec): Spec[] => {
  if (inside(spec).length < 2) return [];
  return inside(spec).map((_, index) => withInside(spec, { index, nodes: [] }));
};

/** The same with simpler settings. */
const plainer = (spec: Spec): Spec[] => {
  switch (spec.kind) {
    case 'guard':
      return [
        ...(spec.delay === undefined ? [] : [{ ...spec, delay: undefined }]),
        ...('inPlace' in spec.act && spec.act.inPlace ? [{ ...spec, act: { ...spec.act, inPlace: false } }] : []),
        ...(spec.act.kind === 'pass' ? [] : [{ ...spec, act: { kind: 'pass' as const } }]),
      ];
    case 'parallel':
    case 'branch':
      return [
        ...(spec.rule === 'widest-redaction' ? [] : [{ ...spec, rule: 'widest-redaction' as const }]),
        ...(spec.stale === 'report' ? [] : [{ ...spec, stale: 'report' as const }]),
      ];
    case 'function':
    case 'map':
    case 'sequence':
      return [];
    default:
      return spec satisfies never;
  }
};

/** With one of the specs inside a step simpler. */
const within = (spec: Spec): Spec[] =>
  inside(spec).flatMap((inner, index) => smaller(inner).map((one) => withInside(spec, { index, nodes: [one] })));

/** A spec with another list in place of one inside it. */
const withInside = (spec: Spec, { index, nodes }: { index: number; nodes: readonly Spec[] }): Spec => {
  switch (spec.kind) {
    case 'sequence':
    case 'parallel':
      return { ...spec, nodes: spec.nodes.toSpliced(index, 1, ...nodes) };
    case 'branch':
      return {
        ...spec,
        arms: spec.arms.flatMap((arm, at) => (at === index ? nodes.map((node) => ({ ...arm, node })) : [arm])),
      };
    case 'guard':
    case 'function':
    case 'map':
      return spec;
    default:
      return spec satisfies never;
  }
};
