export { localClassifier, type LocalClassifier, type LocalClassifierOptions } from './local-classifier.js';
export type { TextClassifier } from '../guards/classifier-guard.js';
