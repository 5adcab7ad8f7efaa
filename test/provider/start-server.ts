import { onTestFinished } from 'vitest';
import { startOpenAIServer, type OpenAIServerOptions } from '../../src/testing/index.js';

/** A server that closes with the test. */
export const startServer = async (reply: OpenAIServerOptions['reply'], options: Omit<OpenAIServerOptions, 'reply'> = {}) => {
  const server = await startOpenAIServer({ reply, ...options });
  onTestFinished(() => server.close());
  return server;
};
