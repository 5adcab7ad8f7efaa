import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/**
 * How many messages stand before the last in which the user says something. The loop changes none of them, for it answers behind;
 * and how they are converted depends on nothing behind them, for no call there has its result here.
 */
export const settledLength = (messages: readonly MastraDBMessage[]): number => Math.max(0, messages.findLastIndex(isSaid));

const isSaid = ({ role, content }: MastraDBMessage): boolean =>
  role === 'user' && content.parts.some((part) => part.type === 'text' && part.text.trim() !== '');
