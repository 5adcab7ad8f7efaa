import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';
import { createAgent, modelFor, modes, runAgent } from '../promises/support.js';

describe.each(modes)('an in-place edit of a prompt, %s', (mode) => {
  it('applies to that call only: the conversation keeps its text, calls and results', async () => {
    const model = modelFor('llmRequest', { closing: { toolCalls: [{ name: 'charge', args: { amount: 3 } }] } });
    let seen = 0;
    const scribbling: Processor = {
      id: 'scribbling',
      processLLMRequest: ({ prompt }) => {
        seen += 1;
        if (seen !== 2) return;
        for (const { content } of prompt)
          for (const part of Array.isArray(content) ? content : [])
            if (part.type === 'tool-call') Object.assign(part.input as object, { amount: 'ZEBRA' });
            else if (part.type === 'tool-result') Object.assign(part.output.value as object, { receipt: 'ZEBRA' });
      },
    };
    const ran = await runAgent(createAgent({ model, inputProcessors: [scribbling] }), mode, { maxSteps: 3 });
    expect(ran.status).toBe('success');
    expect(model.calls).toHaveLength(3);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('ZEBRA');
    expect(JSON.stringify([model.calls[2]?.prompt, ran.result])).not.toContain('ZEBRA');
  });
});
