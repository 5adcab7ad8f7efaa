/** Settings of a model call, other than messages and tools, that the AI SDK accepts and that `prepareStep` may change. */
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
