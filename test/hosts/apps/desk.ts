import { Mastra } from '@mastra/core/mastra';
import { LocalFilesystem, Workspace } from '@mastra/core/workspace';
import { Memory } from '@mastra/memory';
import { chatRoute } from '@mastra/ai-sdk';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

import { messageText } from '../../../src/testing/index.js';
import type { App } from './app.js';

/** A chat with a workspace that has a skill, working memory, and the route for `useChat`. */
export const desk: App = {
  create: async ({ AgentClass, model, storage, folder }) => {
    const skill = join(folder, 'skills', 'refunds');
    await mkdir(skill, { recursive: true });
    await writeFile(
      join(skill, 'SKILL.md'),
      '---\nname: refunds\ndescription: How refunds work\n---\n\nRefunds take five days.\n',
    );
    await writeFile(join(folder, 'notes.txt'), 'The shop opens at nine.');
    const workspace = new Workspace({ filesystem: new LocalFilesystem({ basePath: folder }), skills: ['skills'] });
    const memory = new Memory({
      storage,
      options: { lastMessages: 10, workingMemory: { enabled: true, schema: z.object({ name: z.string().optional() }) } },
    });
    const deskAgent = new AgentClass({ id: 'desk', name: 'Desk', instructions: 'You are the desk.', model, memory, workspace });
    return new Mastra({
      agents: { desk: deskAgent },
      storage,
      logger: false,
      server: { apiRoutes: [chatRoute({ path: '/chat', agent: 'desk', version: 'v7' })] },
    });
  },
  reply: ({ messages, tools = [] }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { kind: 'text', text: `It says: ${messageText(last).slice(0, 60)}`, chunks: 2 };
    const question = last ? messageText(last) : '';
    const read = tools.find(({ function: { name } }) => name.includes('read_file'))?.function.name;
    if (/opens/.test(question) && read) return { kind: 'tool-calls', calls: [{ name: read, args: { path: 'notes.txt' } }] };
    if (/my name is/.test(question))
      return { kind: 'tool-calls', calls: [{ name: 'updateWorkingMemory', args: { memory: { name: 'Ann' } } }] };
    const knows = messages.some((message) => message.role === 'system' && messageText(message).includes('Ann'));
    return { kind: 'text', text: knows ? 'Hello, Ann.' : 'Hello.' };
  },
};
