/** The behavior of a drawn guard in the phase under test. Words are numbered: the payload contains `w0` to `w8`. */
export type Act =
  | { readonly kind: 'pass' }
  | { readonly kind: 'redact'; readonly word: number; readonly inPlace: boolean }
  | { readonly kind: 'append'; readonly word: number; readonly inPlace: boolean }
  | { readonly kind: 'add'; readonly inPlace: boolean }
  | { readonly kind: 'remove'; readonly at: number; readonly inPlace: boolean }
  | { readonly kind: 'set'; readonly value: number }
  | { readonly kind: 'trip' }
  | { readonly kind: 'retry' }
  | { readonly kind: 'throw' }
  /** It has no hook in the phase under test. */
  | { readonly kind: 'absent' };

/** The condition of a branch's case. */
export type When =
  | { readonly kind: 'has'; readonly word: number }
  | { readonly kind: 'later has'; readonly word: number }
  | { readonly kind: 'always' }
  | { readonly kind: 'otherwise' }
  | { readonly kind: 'throws' };

export type Rule = 'widest-redaction' | 'first' | 'last' | 'longest';
export type Stale = 'report' | 'rerun';

/** A pipeline as data, from which it is built and printed. */
export type Spec =
  | { readonly kind: 'guard'; readonly id: string; readonly act: Act; readonly delay: number | undefined }
  | { readonly kind: 'function'; readonly id: string; readonly sets: boolean }
  | { readonly kind: 'map'; readonly pick: 'nothing' | 'first' | 'retryCount' }
  | { readonly kind: 'sequence'; readonly id: string; readonly nodes: readonly Spec[] }
  | { readonly kind: 'parallel'; readonly nodes: readonly Spec[]; readonly rule: Rule; readonly stale: Stale }
  | {
      readonly kind: 'branch';
      readonly arms: readonly { readonly when: When; readonly node: Spec }[];
      readonly rule: Rule;
      readonly stale: Stale;
    };

export type SequenceSpec = Extract<Spec, { kind: 'sequence' }>;

/** The specs directly inside one. */
export const inside = (spec: Spec): readonly Spec[] => {
  switch (spec.kind) {
    case 'guard':
    case 'function':
    case 'map':
      return [];
    case 'sequence':
    case 'parallel':
      return spec.nodes;
    case 'branch':
      return spec.arms.map(({ node }) => node);
    default:
      return spec satisfies never;
  }
};
