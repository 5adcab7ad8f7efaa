import { InterlockError } from '../../src/errors.js';
import { aText, numberFrom, recordOf } from '../../src/option-kind.js';
import { checkOptions, kindForm } from '../guards/check-options.js';
import type { Entity, EntityRecognizer } from '../patterns/entity-finder.js';
import { createLocalModel, modelKinds, type LocalModel, type LocalModelOptions } from './local-model.js';

export interface LocalEntitiesOptions extends LocalModelOptions {
  /**
   * The kinds of entities to find, by the model's label without `B-` and `I-`: lowercase letters, digits and `-`. Default:
   * `{ PER: 'person', PERSON: 'person', LOC: 'location', GPE: 'location', ORG: 'organization' }`, as far as the model has them.
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** The minimum score of a token, 0 to 1; a lower one finds more names, and more other words. Default 0.5. */
  readonly minScore?: number;
}

const usualLabels = { PER: 'person', PERSON: 'person', LOC: 'location', GPE: 'location', ORG: 'organization' };

/**
 * Finds names of persons, places and organizations with a model for token classification on this machine, in a worker thread: the
 * `entities` of `redactor`. Entities end at the ends of words. It fails closed like `localClassifier`: `guard/unavailable`, also
 * for a model without the labels. Raises `guard/unknown-option` and `guard/invalid-option`.
 *
 * @example
 * const entities = localEntities({ model: 'bert-base-NER', modelPath: './models', dtype: 'q8' });
 * redactor({ strategy: 'restore', entities });
 */
export const localEntities = ({ labels, minScore, ...options }: LocalEntitiesOptions): EntityRecognizer & LocalModel => {
  const name = 'localEntities';
  checkOptions(name, { ...options, labels, minScore }, { ...modelKinds, labels: recordOf(aText), minScore: numberFrom(0, 1) });
  const invalid = Object.entries(labels ?? usualLabels).find(([, kind]) => !kindForm.test(kind));
  if (invalid || Object.keys(labels ?? usualLabels).length === 0)
    throw new InterlockError('guard/invalid-option', {
      path: `${name}.labels`,
      detail: invalid ? `"${invalid[1]}" is no kind: use lowercase letters, digits and -.` : 'it must name at least one label.',
    });
  const { model, read } = createLocalModel(options, {
    name,
    entities: { kinds: labels ?? usualLabels, areOptional: labels === undefined, minScore: minScore ?? 0.5 },
  });
  return { ...model, find: async (texts) => (await read(texts)) as readonly (readonly Entity[])[] }; // of the same model
};
