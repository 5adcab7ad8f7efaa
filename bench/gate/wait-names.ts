/** What is waited for, in the order in which it is told; what is compared stands together. */
export const waitNames = [
  'first word, 0 guards, interlock',
  'first word, 0 guards, mastra',
  'first word, 1 guard, interlock',
  'first word, 1 guard beside the model, interlock',
  'first word, 1 guard, mastra',
  'first word, 2 guards, interlock',
  'first word, 2 guards beside the model, interlock',
  'first word, 2 guards, mastra',
  '60 deltas, no judge, interlock',
  '60 deltas, judge of chunks, interlock',
  '60 deltas, judge of sentences, interlock',
  '60 deltas, judge without a window, interlock',
  '60 deltas, judge, mastra',
] as const;

export type WaitName = (typeof waitNames)[number];

/** How long the judge of the 60 deltas takes. */
export const judgeMs = 50;
