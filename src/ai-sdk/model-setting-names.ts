/** The settings of a model call that the AI SDK takes beside messages and tools, and that `prepareStep` may change. */
export const modelSettingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
] as const;
