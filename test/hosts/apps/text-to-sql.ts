import { createClient } from '@libsql/client';
import { Mastra } from '@mastra/core/mastra';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';

import { messageText } from '../../../src/testing/index.js';
import type { App } from './app.js';

/** An assistant that writes SQL, runs it on a database, and answers with an object. */
export const textToSql: App = {
  create: async ({ AgentClass, model, storage, folder }) => {
    const database = createClient({ url: `file:${folder}/shop.db` });
    await database.execute('CREATE TABLE orders (id INTEGER PRIMARY KEY, city TEXT, total REAL)');
    await database.execute("INSERT INTO orders (city, total) VALUES ('Oslo', 12.5), ('Oslo', 7.5), ('Rome', 3)");
    const execute = createTool({
      id: 'execute-sql',
      description: 'Runs a SELECT query',
      inputSchema: z.object({ query: z.string() }),
      execute: async ({ query }) => {
        if (!/^\s*select\b/i.test(query)) throw new Error('Only SELECT queries are allowed.');
        return { rows: (await database.execute(query)).rows.map((row) => ({ ...row })) };
      },
    });
    const sqlAgent = new AgentClass({
      id: 'sql-agent',
      name: 'SQL Agent',
      instructions: ({ requestContext }) =>
        `You write SQLite. The user's language is ${String(requestContext.get('language') ?? 'English')}.`,
      model,
      tools: { execute },
      defaultOptions: { maxSteps: 4 },
    });
    return new Mastra({ agents: { sqlAgent }, storage, logger: false });
  },
  reply: ({ messages, response_format }: Parameters<App['reply']>[0] & { response_format?: { type?: string } }) => {
    const last = messages.at(-1);
    const prompt = messages.map(messageText).join('\n');
    if (last?.role === 'tool' && /Only SELECT/.test(messageText(last)))
      return { kind: 'tool-calls', calls: [{ name: 'execute', args: { query: 'SELECT count(*) AS n FROM orders' } }] };
    if (last?.role === 'tool')
      return response_format?.type?.startsWith('json')
        ? { kind: 'text', text: '{"city":"Oslo","total":20}' }
        : { kind: 'text', text: `The database says ${messageText(last)}.`, chunks: 3 };
    const query = /delete/i.test(prompt)
      ? 'DELETE FROM orders'
      : "SELECT city, sum(total) AS total FROM orders WHERE city = 'Oslo' GROUP BY city";
    return { kind: 'tool-calls', calls: [{ name: 'execute', args: { query } }] };
  },
};
