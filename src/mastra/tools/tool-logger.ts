import { MastraError } from '@mastra/core/error';
import type { IMastraLogger } from '@mastra/core/logger';
import { withStandIns } from '../stand-ins.js';

/** The entry for a tool that failed. Its text may quote what guards have yet to judge; the chunk and the step have it as they left it. */
const withoutText = (error: Error): Error => {
  if (!(error instanceof MastraError) || error.id !== 'TOOL_EXECUTION_FAILED') return error;
  const { id, domain, category } = error;
  return new MastraError({ id, domain, category, text: 'A tool failed.' });
};

/** Mastra's logger for the tools of a guarded agent: its entries have neither arguments nor errors of tools. */
export const quietToolLogger = (logger: IMastraLogger, isGuarded: () => boolean): IMastraLogger =>
  withStandIns(logger, {
    trackException:
      (target) =>
      (error: Error, ...more: never[]): void =>
        target.trackException(isGuarded() ? withoutText(error) : error, ...more),
    warn:
      (target) =>
      (message: string, ...more: unknown[]): void =>
        target.warn(message, ...(isGuarded() ? more.map(withoutArguments) : more)),
  });

/** Mastra logs the problem with invalid arguments, which quotes them. */
const withoutArguments = (entry: unknown): unknown => {
  if (typeof entry !== 'object' || entry === null || !('validationError' in entry)) return entry;
  const { validationError: _quote, ...rest } = entry;
  return rest;
};
