export { brokenBounds, parseBound, type Bound, type Evaluation, type Measures } from './measure.js';
export { evaluate, type EvaluateOptions } from './evaluate.js';
export { evaluationPage } from './evaluation-page.js';
export { parseSamples, type Sample } from './sample.js';
