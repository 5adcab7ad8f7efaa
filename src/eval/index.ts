export {
  brokenBounds,
  parseBound,
  type Bound,
  type BrokenBound,
  type Measures,
  type Objecting,
  type RocPoint,
} from './measure.js';
export { evaluate, type EvaluatedSample, type EvaluateOptions, type Evaluation } from './evaluate.js';
export { evaluationPage } from './evaluation-page.js';
export { parseSamples, type Sample } from './sample.js';
