export { contentModeration, threats, type ContentModerationOptions } from './content-moderation.js';
export { responseQuality, type ResponseQualityOptions } from './response-quality.js';
export * from './guards/ready-made.js';
