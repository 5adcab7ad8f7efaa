import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { editAgents } from '../../bin/edit-agents.js';
import { init } from '../../bin/init.js';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const weather = `import { Agent } from '@mastra/core/agent';
import { Memory } from '@mastra/memory';

export const weatherAgent = new Agent({
  id: 'weather-agent',
  // inputProcessors: none yet
  instructions: \`Say { "weather" } and new Agent({ }).\`,
  model: 'openai/gpt-5',
});
`;

const guardedWeather = `import { Agent } from 'mastra-interlock';
import { promptInjectionGuard, redactor } from 'mastra-interlock/guards';
import { Memory } from '@mastra/memory';

export const weatherAgent = new Agent({
  inputProcessors: [promptInjectionGuard()],
  outputProcessors: [redactor({ strategy: 'replace' })],
  id: 'weather-agent',
  // inputProcessors: none yet
  instructions: \`Say { "weather" } and new Agent({ }).\`,
  model: 'openai/gpt-5',
});
`;

/** An application in a separate folder, and a run of `init` there. */
const initIn = async (files: Readonly<Record<string, string>>, args: readonly string[] = [], answer?: boolean) => {
  const cwd = mkdtempSync(join(tmpdir(), 'interlock-init-'));
  folders.push(cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  let [out, err] = ['', ''];
  const ask = answer === undefined ? {} : { ask: async () => answer };
  const code = await init.run(args, { out: (text) => (out += text), err: (text) => (err += text), cwd, ...ask });
  return { code, out, err, read: (path: string) => readFileSync(join(cwd, path), 'utf8') };
};

describe('the edit of a file', () => {
  it('replaces the import of Mastra’s agent and proposes guards if it has none', () => {
    expect(editAgents(weather)).toBe(guardedWeather);
  });

  it('changes nothing the second time', () => {
    expect(editAgents(guardedWeather)).toBe(guardedWeather);
  });

  it.each<[string, string, string]>([
    [
      'other names of the import, an alias and the style of quotes',
      `import { Agent as Base, type AgentConfig } from "@mastra/core/agent"\nnew Base({ inputProcessors: [a], outputProcessors: [] })\n`,
      `import { type AgentConfig } from "@mastra/core/agent"\nimport { Agent as Base } from "mastra-interlock"\nnew Base({ inputProcessors: [a], outputProcessors: [] })\n`,
    ],
    [
      'a missing array only, on one line',
      `import { Agent } from '@mastra/core';\nconst a = new Agent({ name: 'a', inputProcessors });\n`,
      `import { Agent } from 'mastra-interlock';\nimport { redactor } from 'mastra-interlock/guards';\nconst a = new Agent({ outputProcessors: [redactor({ strategy: 'replace' })], name: 'a', inputProcessors });\n`,
    ],
    [
      'ignores options of a nested object',
      `import { Agent } from '@mastra/core/agent';\nnew Agent({ outputProcessors: [], defaults: { inputProcessors: [] } });\n`,
      `import { Agent } from 'mastra-interlock';\nimport { promptInjectionGuard } from 'mastra-interlock/guards';\nnew Agent({ inputProcessors: [promptInjectionGuard()], outputProcessors: [], defaults: { inputProcessors: [] } });\n`,
    ],
    [
      'proposes nothing for spread or non-literal settings',
      `import { Agent } from '@mastra/core/agent';\nnew Agent({ ...base, name: 'a' });\nnew Agent(settings);\n`,
      `import { Agent } from 'mastra-interlock';\nnew Agent({ ...base, name: 'a' });\nnew Agent(settings);\n`,
    ],
    [
      'the agent of the AI SDK',
      `import { tool, ToolLoopAgent } from 'ai';\nconst agent = new ToolLoopAgent({\n  model,\n  tools,\n});\n`,
      `import { tool } from 'ai';\nimport { guardedToolLoop } from 'mastra-interlock/ai-sdk';\nimport { promptInjectionGuard, redactor } from 'mastra-interlock/guards';\nconst agent = guardedToolLoop({\n  guards: [promptInjectionGuard(), redactor({ strategy: 'replace' })],\n  model,\n  tools,\n});\n`,
    ],
    [
      'keeps the import of a class that is also used as a type',
      `import { ToolLoopAgent } from 'ai';\nconst agent = new ToolLoopAgent({ guards, model });\ntype A = InstanceType<typeof ToolLoopAgent>;\n`,
      `import { ToolLoopAgent } from 'ai';\nimport { guardedToolLoop } from 'mastra-interlock/ai-sdk';\nconst agent = guardedToolLoop({ guards, model });\ntype A = InstanceType<typeof ToolLoopAgent>;\n`,
    ],
  ])('%s', (_case, before, after) => {
    expect(editAgents(before)).toBe(after);
  });

  it.each([
    ['a type alone', `import type { Agent } from '@mastra/core/agent';\n`],
    [
      'an import without a call',
      `import { Agent } from '@mastra/core/agent';\n// new Agent({})\nexport const isAgent = (a: unknown) => a instanceof Agent;\n`,
    ],
    ['another module', `import { Agent } from 'elsewhere';\nnew Agent({});\n`],
    [
      'an agent of the AI SDK whose settings it cannot read',
      `import { ToolLoopAgent } from 'ai';\nnew ToolLoopAgent(settings);\n`,
    ],
  ])('does not change %s', (_case, source) => {
    expect(editAgents(source)).toBe(source);
  });

  it('proposes nothing with --swap-only', () => {
    expect(editAgents(weather, { proposes: false })).toBe(weather.replace('@mastra/core/agent', 'mastra-interlock'));
    const plain = `import { ToolLoopAgent } from 'ai';\nconst agent = new ToolLoopAgent({ model });\n`;
    expect(editAgents(plain, { proposes: false })).toBe(plain); // without guards there is nothing to swap
    const both = `${plain}const other = new ToolLoopAgent({ model, guards });\n`;
    expect(editAgents(both, { proposes: false })).toBe(
      `import { ToolLoopAgent } from 'ai';\nimport { guardedToolLoop } from 'mastra-interlock/ai-sdk';\nconst agent = new ToolLoopAgent({ model });\nconst other = guardedToolLoop({ model, guards });\n`,
    );
  });
});

describe('mastra-interlock init', () => {
  const files = {
    'src/mastra/agents/weather.ts': weather,
    'src/mastra/agents/weather.test.ts': weather,
    'dist/weather.js': weather,
  };

  it('shows the diff and writes with --yes, only in files of the program', async () => {
    const { code, out, read } = await initIn(files, ['--yes']);
    expect(code).toBe(0);
    expect(out).toContain("+import { Agent } from 'mastra-interlock';");
    expect(out).toContain('1 file written.\nNext: npm install mastra-interlock\n');
    expect(read('src/mastra/agents/weather.ts')).toBe(guardedWeather);
    expect(read('src/mastra/agents/weather.test.ts')).toBe(weather);
    expect(read('dist/weather.js')).toBe(weather);
  });

  it.each([
    ['the answer is yes', true, 0],
    ['the answer is no', false, 2],
    ['no terminal is available', undefined, 2],
  ])('writes only with consent: %s', async (_case, answer, expected) => {
    const { code, read } = await initIn(files, [], answer);
    expect(code).toBe(expected);
    expect(read('src/mastra/agents/weather.ts')).toBe(expected === 0 ? guardedWeather : weather);
  });

  it('lists the agents that it leaves without some of the guards', async () => {
    const own = `import { Agent } from '@mastra/core/agent';\n\nnew Agent({ inputProcessors: [mine], outputProcessors: [mine] });\nnew Agent(settings);\n`;
    const { out, code } = await initIn({ 'src/a.ts': own, 'src/b.ts': weather }, ['--yes']);
    expect(code).toBe(0);
    expect(out).toContain(
      "src/a.ts:3: it has its own inputProcessors and outputProcessors; it may lack promptInjectionGuard() and redactor({ strategy: 'replace' })\n",
    );
    expect(out).toContain('src/a.ts:4: its settings are not written here; it may lack');
    expect(out).not.toContain('src/b.ts:');
  });

  it('proposes placeholders where a tool acts on addresses', async () => {
    const tool = `import { createTool } from '@mastra/core/tools';\nexport const book = createTool({ id: 'book', inputSchema: z.object({ attendee: z.string() }) });\n`;
    const { read } = await initIn({ 'src/tools.ts': tool, 'src/weather.ts': weather }, ['--yes']);
    const written = read('src/weather.ts');
    expect(written).toContain("import { Memory } from '@mastra/memory';\n\nconst privacy = redactor({ strategy: 'restore' });\n");
    expect(written).toContain('  inputProcessors: [promptInjectionGuard(), privacy],\n  outputProcessors: [privacy],\n');
    expect(written).toContain("import { promptInjectionGuard, redactor } from 'mastra-interlock/guards';");
    expect(editAgents(written, { restores: true })).toBe(written);
  });

  it('lists an agent that cannot get placeholders, because it has processors of its own', async () => {
    const tool = `import { createTool } from '@mastra/core/tools';\nexport const book = createTool({ id: 'book', inputSchema: z.object({ attendee: z.string() }) });\n`;
    const own = `import { Agent } from '@mastra/core/agent';\n\nnew Agent({ inputProcessors: [mine] });\n`;
    const { out } = await initIn({ 'src/tools.ts': tool, 'src/a.ts': own, 'src/b.ts': weather }, ['--yes']);
    expect(out).toContain(
      "src/a.ts:3: it has its own inputProcessors; it may lack promptInjectionGuard() and redactor({ strategy: 'restore' })\n",
    );
    expect(out).not.toContain('src/b.ts:');
  });

  it.each([
    ['an entry that cannot be loaded', "import './absent.js';", 'Not checked: '],
    ['a module that ends the process', 'process.exit(3);', 'it calls process.exit(3)'],
    [
      'a module that ends the process later',
      'setTimeout(() => process.exit(3)); await new Promise((resolve) => setTimeout(resolve, 1_000));',
      'it calls process.exit(3)',
    ],
    ['a module without agents', 'export const a = 1;', 'Not checked: '],
  ])('written files are a success: %s', async (_case, module, expected) => {
    const installed = { 'node_modules/mastra-interlock/package.json': '{}' };
    const { code, out } = await initIn({ ...installed, 'src/agent.ts': weather, 'src/mastra/index.ts': module }, ['--yes']);
    expect(out).toContain('1 file written.');
    expect(out).toContain(expected);
    expect(out).toContain('npx mastra-interlock check --entry src/mastra/index.ts');
    expect(code).toBe(0);
  });

  it('finds nothing in an application without agents', async () => {
    const { code, out } = await initIn({ 'src/index.ts': 'export const a = 1;\n' });
    expect(code).toBe(0);
    expect(out).toContain('No unguarded');
  });
});

describe('init --template', () => {
  it.each(['chat', 'api', 'next', 'next-ai-sdk'])('%s writes a guarded application', async (name) => {
    const { code, out, read } = await initIn({}, ['--template', name]);
    expect(code).toBe(0);
    expect(out).toContain('Next: npm install && npm start');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      type: 'module',
      scripts: { start: name.startsWith('next') ? 'next build && next start' : 'node main.ts' },
    });
    const agents = name === 'next-ai-sdk' ? 'assistant.ts' : 'mastra.ts';
    expect(editAgents(read(agents))).toBe(read(agents));
  });

  it('next-ai-sdk uses no Mastra', async () => {
    const { out, read } = await initIn({}, ['--template', 'next-ai-sdk']);
    for (const path of /Written: (.*)/.exec(out)?.[1]?.split(', ') ?? [])
      expect(read(path), path).not.toMatch(/mastra(?!-interlock)/i);
  });

  it('keeps the README.md and .gitignore of a new repository', async () => {
    const { code, out, read } = await initIn({ 'README.md': '# Mine', '.gitignore': 'tmp' }, ['--template', 'chat']);
    expect([code, read('README.md'), read('.gitignore')]).toEqual([0, '# Mine', 'tmp']);
    expect(out).toMatch(/^Written: package\.json, /);
  });

  it('overwrites nothing and rejects an unknown template', async () => {
    const refused = await initIn({ 'package.json': '{}' }, ['--template', 'chat']);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('package.json already exists') });
    expect(refused.read('package.json')).toBe('{}');
    for (const name of ['nest', 'constructor'])
      expect(await initIn({}, ['--template', name])).toMatchObject({
        code: 2,
        err: expect.stringContaining(`unknown template "${name}"`),
      });
  });
});
