export { localClassifier } from './local-classifier.js';
export { localEntities, type LocalEntitiesOptions } from './local-entities.js';
export type { LocalModel, LocalModelOptions } from './local-model.js';
export type { TextClassifier } from '../guards/classifier-guard.js';
export type { Entity, EntityRecognizer } from '../patterns/entity-finder.js';
