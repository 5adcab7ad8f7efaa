import { findersOf, type ValueKind } from '../../workflows/patterns/value-kinds.js';
import { combineFinders } from '../../workflows/patterns/combine-finders.js';

export const secretKinds = ['pem', 'url-credentials', 'jwt', 'api-key', 'bearer', 'secret'] as const satisfies ValueKind[];

/** Harmless texts in which the redactor looked for secrets. */
export interface SecretResult {
  readonly name: string;
  readonly texts: number;
  /** The length of all of them, in UTF-16 units. */
  readonly chars: number;
  /** Values that it would replace. */
  readonly values: number;
  /** The same with the option `entropy`. */
  readonly valuesWithEntropy: number;
}

/** Looks for secrets in texts that contain none, or only made-up ones. */
export const judgeSecrets = (name: string, texts: readonly string[]): SecretResult => {
  const valuesIn = (entropy: boolean): number => {
    const { find } = combineFinders(findersOf(secretKinds, { entropy }));
    return texts.reduce((sum, text) => sum + find(text, 0).length, 0);
  };
  return {
    name,
    texts: texts.length,
    chars: texts.reduce((sum, { length }) => sum + length, 0),
    values: valuesIn(false),
    valuesWithEntropy: valuesIn(true),
  };
};
