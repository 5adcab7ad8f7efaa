import type { Asked, Told } from './children.js';

/** Does one task after another, until nobody is there to ask for more. */
process.on('message', ({ task }: Asked) => void answer(task));
process.once('disconnect', () => process.exit());

const answer = async (task: Asked['task']): Promise<void> => {
  const { cpuMs } = await import('./measure.js');
  const { perform } = await import('./tasks.js');
  const result = await perform(task);
  process.send?.({ result, cpuMs: cpuMs() } satisfies Told);
};
