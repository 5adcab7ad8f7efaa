export { brokenBounds, parseBound, type Bound, type BrokenBound } from './bounds.js';
export { evaluate, type EvaluatedSample, type EvaluateOptions, type Evaluation } from './evaluate.js';
export { evaluationPage } from './evaluation-page.js';
export type { Measures, Objecting, RocPoint } from './measure.js';
export { parseSamples, type Sample } from './sample.js';
