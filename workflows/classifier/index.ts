export {
  localClassifier,
  localEntities,
  type LocalEntitiesOptions,
  type LocalModel,
  type LocalModelOptions,
} from './local-model.js';
export type { TextClassifier } from '../guards/classifier-guard.js';
export type { EntityRecognizer } from '../patterns/entity-finder.js';
