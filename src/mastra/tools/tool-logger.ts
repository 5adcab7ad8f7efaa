import { MastraError } from '@mastra/core/error';
import type { IMastraLogger } from '@mastra/core/logger';
import { withStandIns } from '../stand-ins.js';

/** The fields of Mastra's agent that its host calls. */
interface LoggingAgent {
  __setLogger(logger: IMastraLogger): void;
  __getLogger(): IMastraLogger;
}

/**
 * Gives a guarded agent's tools a logger without arguments and error texts, which guards have yet to judge. Mastra passes the agent's
 * logger to them. The `tool-error` chunk and the step have the judged text.
 */
export const quietTools = (agent: object): void => {
  const logging = agent as LoggingAgent; // Mastra's types hide these methods
  const setLogger = logging['__setLogger'].bind(agent);
  Object.defineProperty(agent, '__setLogger', { value: (logger: IMastraLogger) => setLogger(quiet(logger)) });
  setLogger(quiet(logging['__getLogger']()));
};

const quiet = (logger: IMastraLogger): IMastraLogger =>
  withStandIns(logger, {
    trackException:
      (target) =>
      (error: Error, ...more: never[]): void =>
        target.trackException(withoutText(error), ...more),
    warn:
      (target) =>
      (message: string, ...more: unknown[]): void =>
        target.warn(message, ...more.map(withoutArguments)),
  });

const withoutText = (error: Error): Error => {
  if (!(error instanceof MastraError) || error.id !== 'TOOL_EXECUTION_FAILED') return error;
  const { id, domain, category } = error;
  return new MastraError({ id, domain, category, text: 'A tool failed.' });
};

/** Mastra logs the problem with invalid arguments, which quotes them. */
const withoutArguments = (entry: unknown): unknown => {
  if (typeof entry !== 'object' || entry === null || !('validationError' in entry)) return entry;
  const { validationError: _quote, ...rest } = entry;
  return rest;
};
