export { brokenBounds, parseBound, type Bound, type BrokenBound } from './bounds.js';
export { evaluate, type EvaluatedSample, type EvaluateOptions, type Evaluation } from './evaluate.js';
export { evaluationPage } from './evaluation-page.js';
export type { Measures, Objecting } from './measure.js';
export { parseSamples } from './parse-samples.js';
export type { RocPoint } from './roc.js';
export type { Sample } from './sample.js';
