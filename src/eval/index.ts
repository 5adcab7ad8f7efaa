export {
  brokenBounds,
  parseBound,
  type Bound,
  type BrokenBound,
  type EvaluatedSample,
  type Evaluation,
  type Measures,
  type Objecting,
  type RocPoint,
} from './measure.js';
export { evaluate, type EvaluateOptions } from './evaluate.js';
export { evaluationPage } from './evaluation-page.js';
export { parseSamples, type Sample } from './sample.js';
