import type { Figures } from './figures.js';

/** What each step after the first costs with so much history: the difference between ten steps and one. */
export const laterStepUs = ({ cpu }: Figures, name: string, messages: number): number | undefined => {
  const [one, ten] = [cpu(`history ${name} 1`, messages), cpu(`history ${name} 10`, messages)];
  return one === undefined || ten === undefined ? undefined : (ten * 10 - one) / 9;
};
