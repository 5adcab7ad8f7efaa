export {
  contentModeration,
  threats,
  type ContentModerationOptions,
  responseQuality,
  type ResponseQualityOptions,
} from './pipelines.js';
