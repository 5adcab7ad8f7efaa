import { createTool } from '@mastra/core/tools';
import { MCPServer } from '@mastra/mcp';
import { z } from 'zod';

/** A real MCP server, on stdio or over HTTP, with one tool that answers and one that fails. */
export const weatherServer = (): MCPServer =>
  new MCPServer({
    id: 'weather',
    name: 'weather',
    version: '1.0.0',
    tools: {
      forecast: createTool({
        id: 'forecast',
        description: 'The weather of a city.',
        inputSchema: z.object({ city: z.string() }),
        outputSchema: z.object({ sky: z.string() }),
        execute: async ({ city }) => ({ sky: `clear over ${city}` }),
      }),
      broken: createTool({
        id: 'broken',
        description: 'Fails.',
        inputSchema: z.object({}),
        execute: async () => {
          throw new Error('no such station');
        },
      }),
    },
  });

if (process.argv[1] === import.meta.filename) await weatherServer().startStdio();
