import { createRequire } from 'node:module';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import * as guards from '../../workflows/guards/index.js';
import { messageText, startOpenAIServer, type ReplySource } from '../../src/testing/index.js';
import { expected, programs, type Program } from './programs.js';
import { openProjectWith, readManifest, type Project } from './project.js';
import { jsonOf, withServer } from './serve.js';

const folder = mkdtempSync(join(tmpdir(), 'interlock-anywhere-'));
let project: Project;
beforeAll(async () => {
  const { devDependencies } = readManifest();
  const dependencies = Object.fromEntries(
    ['@ai-sdk/openai-compatible', '@mastra/core', 'ai', 'zod'].map((name) => [name, devDependencies[name] ?? '*']),
  );
  project = await openProjectWith(join(folder, 'project'), dependencies);
  for (const name of ['guards', 'ai-sdk'] as const) project.write(`${name}.js`, programs[name]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

const bundled = (program: Program, options: BuildOptions) =>
  build({
    absWorkingDir: project.folder,
    entryPoints: [`${program}.js`],
    bundle: true,
    write: false,
    format: 'iife',
    mainFields: ['module', 'main'],
    metafile: true,
    logLevel: 'silent',
    ...options,
  });

/** The imports of Node in our own files, and Mastra's files. */
const unwanted = ({ inputs }: Metafile): string[] =>
  Object.entries(inputs).flatMap(([path, { imports }]) => [
    ...(path.includes('@mastra/core') ? [path] : []),
    ...(path.includes('mastra-interlock') ? imports.map((each) => each.path).filter((name) => name.startsWith('node:')) : []),
  ]);

/** The common globals of browsers, workers and Node; there is no process, no Buffer and no require. */
const webGlobals = () =>
  Object.fromEntries(
    `AbortController AbortSignal Blob CompressionStream DOMException DecompressionStream Event EventTarget FormData Headers ReadableStream
     Request Response TextDecoder TextDecoderStream TextEncoder TextEncoderStream TransformStream URL URLSearchParams WritableStream atob btoa
     clearTimeout console crypto fetch performance queueMicrotask setTimeout structuredClone`
      .split(/\s+/)
      .map((name) => [name, (globalThis as Record<string, unknown>)[name]]),
  );

describe('a bundle for a runtime without Node', () => {
  const browser = { platform: 'browser' } as const;
  it.each<[name: string, Program, BuildOptions]>([
    ['browsers', 'guards', browser],
    ['browsers', 'ai-sdk', browser],
    ['no platform', 'guards', { platform: 'neutral' }],
    ['Cloudflare Workers', 'guards', { ...browser, conditions: ['workerd', 'worker', 'browser'] }],
    ['Cloudflare Workers', 'ai-sdk', { ...browser, conditions: ['workerd', 'worker', 'browser'] }],
    ['Next.js edge', 'guards', { ...browser, conditions: ['edge-light', 'worker', 'browser'] }],
    ['Next.js edge', 'ai-sdk', { ...browser, conditions: ['edge-light', 'worker', 'browser'] }],
    ['Bun', 'guards', { platform: 'neutral', conditions: ['bun', 'node', 'import'] }],
    ['Deno', 'guards', { platform: 'neutral', conditions: ['deno', 'node', 'import'] }],
  ])('for %s: /%s', async (_name, program, options) => {
    const { outputFiles = [], metafile, warnings } = await bundled(program, options);
    expect(unwanted(metafile as Metafile)).toEqual([]);
    expect(warnings).toEqual([]);
    const context = createContext(webGlobals());
    runInContext(outputFiles[0]?.text ?? '', context);
    expect(await (context['answer'] as () => Promise<unknown>)()).toEqual(expected[program]);
  });
});

describe('a bundle of one guard', () => {
  /** Guards with the finders of values contain the table of phone numbers (37 kB), and `defaultGuards` is five guards. */
  const larger: Readonly<Record<string, number>> = {
    redactor: 108,
    toolSecretsGuard: 79,
    toolDescriptionGuard: 46,
    defaultGuards: 247,
  };
  const names = Object.keys(guards).filter((name) => /Guards?$|^(?:redactor|toolPolicy)$/.test(name));

  it('is measured for each guard', () => expect(names.length).toBeGreaterThan(18));

  it.each(names)('%s takes at most 45 kB, compressed', async (guard) => {
    const entry = `one-guard-${guard}.js`;
    project.write(entry, `export { ${guard} } from 'mastra-interlock/guards';`);
    const { outputFiles = [] } = await bundled('guards', { entryPoints: [entry], format: 'esm', platform: 'node', minify: true });
    expect(gzipSync(outputFiles[0]?.contents ?? '').length / 1_000).toBeLessThan(larger[guard] ?? 45);
  });
});

/** The path of its program. */
const { default: workerd } = createRequire(import.meta.url)('workerd') as { default: string };

/** Starts workerd with a configuration, and passes its address to `use`. */
const withWorker = <T>(config: string, use: (address: string) => Promise<T>): Promise<T> =>
  withServer(
    {
      command: [workerd, 'serve', config, '--control-fd=3'],
      cwd: project.folder,
      addressIn: (output) => {
        const port = /"port":\s*(\d+)/.exec(output)?.[1];
        return port && `http://127.0.0.1:${port}/`;
      },
    },
    use,
  );

describe('a Cloudflare worker', () => {
  it.each(['guards', 'ai-sdk'] as const)('answers a request in workerd: /%s', async (program) => {
    const worker = `import './${program}.js'; export default { fetch: async () => Response.json(await globalThis.answer()) };`;
    project.write('worker-entry.js', worker);
    const conditions = ['workerd', 'worker', 'browser'];
    const options: BuildOptions = { entryPoints: ['worker-entry.js'], platform: 'browser', format: 'esm', conditions };
    const { outputFiles = [] } = await bundled(program, options);
    project.write('worker.js', outputFiles[0]?.text ?? '');
    project.write(
      'worker.capnp',
      `using Workerd = import "/workerd/workerd.capnp";
       const config :Workerd.Config = (
         services = [(name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01"))],
         sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);`,
    );
    const answer = await withWorker('worker.capnp', async (address) => jsonOf(await fetch(address)));
    expect(answer).toEqual(expected[program]);
  });
});

/** The model of the example: calls a tool, then repeats its result. */
const reply: ReplySource = ({ messages }) => {
  const result = messages.findLast(({ role }) => role === 'tool');
  if (result) return { kind: 'text', text: `Done: ${messageText(result)}`, chunks: 4 };
  const isMail = messages.some((message) => messageText(message).includes('all guests'));
  const call = isMail ? { name: 'sendMail', args: { to: '*', text: 'Hi!' } } : { name: 'findGuest', args: { name: 'Dana' } };
  return { kind: 'tool-calls', calls: [call] };
};

describe('the AI SDK example as a Cloudflare worker', () => {
  it.each([
    ['Where is Dana?', 'Done: Dana Whitfield, [EMAIL], room 12'],
    ['Send all guests a mail.', [422, 'Blocked by one-guest: Mail goes to one guest.']],
  ])('answers in workerd: %s', async (prompt, expectedAnswer) => {
    const model = await startOpenAIServer({ reply });
    try {
      cpSync(join(import.meta.dirname, '../../examples/ai-sdk-assistant'), join(project.folder, 'assistant'), {
        recursive: true,
      });
      const conditions = ['workerd', 'worker', 'browser'];
      const entry: BuildOptions = { entryPoints: ['assistant/worker.ts'], platform: 'browser', format: 'esm', conditions };
      const { outputFiles = [], metafile } = await bundled('ai-sdk', entry);
      expect(unwanted(metafile as Metafile)).toEqual([]);
      project.write('assistant.js', outputFiles[0]?.text ?? '');
      project.write(
        'assistant.capnp',
        `using Workerd = import "/workerd/workerd.capnp";
         const config :Workerd.Config = (
           services = [
             (name = "main", worker = (
               modules = [(name = "worker", esModule = embed "assistant.js")],
               compatibilityDate = "2026-01-01",
               bindings = [(name = "OPENAI_API_KEY", text = "none"), (name = "OPENAI_BASE_URL", text = "${model.baseUrl}")])),
             (name = "internet", network = (allow = ["local"]))],
           sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);`,
      );
      const answer = await withWorker('assistant.capnp', async (address) => {
        const response = await fetch(address, { method: 'POST', body: prompt });
        const body = await response.text();
        return response.ok ? body : [response.status, body];
      });
      expect(answer).toEqual(expectedAnswer);
    } finally {
      await model.close();
    }
  });
});

describe('a bundle for a runtime with Node modules', () => {
  it.each([
    ['Bun', ['bun', 'node', 'import']],
    ['Deno', ['deno', 'node', 'import']],
    ['Node', []],
  ])('%s: /ai-sdk', async (name, conditions) => {
    const { outputFiles = [], metafile } = await bundled('ai-sdk', { platform: 'node', format: 'cjs', conditions });
    expect(unwanted(metafile as Metafile)).toEqual([]);
    const file = `ai-sdk.${name}.cjs`;
    project.write(
      file,
      `${outputFiles[0]?.text}\nanswer().then((all) => { console.log(JSON.stringify(all)); process.exit(); });`,
    );
    const { stdout, stderr } = await project.node(24, [file]);
    expect(JSON.parse(stdout || `"${stderr}"`)).toEqual(expected['ai-sdk']);
  });
});
