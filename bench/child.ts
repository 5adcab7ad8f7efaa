import { registerHooks } from 'node:module';
import type { Task } from './run-case.js';

// Measured is what is shipped: types are stripped and nothing else. (tsx would name each closure anew whenever it is made.)
registerHooks({
  resolve: (specifier, context, next) => {
    const ours = specifier.startsWith('.') && !context.parentURL?.includes('/node_modules/');
    return next(ours ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
});

const answer = async (task: Task): Promise<void> => {
  const { perform } = await import('./run-case.js');
  process.send?.(await perform(task), () => process.exit());
};

process.once('message', (task: Task) => void answer(task));
