export { contentModeration, responseQuality, threats } from './pipelines.js';
