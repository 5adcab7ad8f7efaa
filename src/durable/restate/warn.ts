import type { EndpointOptions } from '@restatedev/restate-sdk';

type Logger = NonNullable<EndpointOptions['logger']>;

/** Tells what Restate's SDK reports of runs that fail, as warnings of the process; the rest is not told. */
export const warn: Logger = ({ level, replaying, context }, ...message) => {
  const isWorthIt = level.toString() === 'error' || level.toString() === 'warn';
  if (!isWorthIt || replaying || !context) return;
  process.emitWarning(`${context.invocationTarget}: ${message.map(String).join(' ')}`, 'RestateWarning');
};
