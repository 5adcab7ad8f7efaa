import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { report, serveModel } from '../../../scripted-model.js';

const { url, requests } = await serveModel({ call: 'look', text: 'up' }, ['Done.']);
const model = createOpenAICompatible({ name: 'local', baseURL: url })('scripted') as never;
const look = createTool({
  id: 'look',
  description: 'Looks.',
  inputSchema: z.object({ text: z.string() }),
  execute: async () => 'Ann lives in Oslo.',
});

/** Replaces a word as the documentation replaces a result. */
const redact = (word: string) =>
  ({
    id: `redact-${word}`,
    processToolResult: async ({ toolName, toolCallId, args, result, messageList }) => {
      const invocation = { state: 'result' as const, toolCallId, toolName, args, result: String(result).replace(word, '[cut]') };
      messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation: invocation });
      return messageList;
    },
  }) satisfies Processor;

const config = { id: 'agent', name: 'agent', instructions: 'Help.', model, tools: { look } };
await new Agent({ ...config, outputProcessors: [redact('Ann'), redact('Oslo')] }).generate('Hello.');
report('Ann', { 'second request': requests[1] });
