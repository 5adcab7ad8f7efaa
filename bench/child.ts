import type { Task } from './tasks.js';

const answer = async (task: Task): Promise<void> => {
  const { perform } = await import('./tasks.js');
  process.send?.(await perform(task), () => process.exit());
};

process.once('message', (task: Task) => void answer(task));
