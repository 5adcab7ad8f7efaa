export { createBench, longestTryMs, type Bench } from '../../../src/eval/bench-scope.js';
