/** A part of a text, which must be there: without it the home page would lose it silently. */
const required = (text: string, part: RegExp): string => {
  const found = part.exec(text);
  if (!found) throw new Error(`The home page needs ${part.source} of README.md.`);
  return found[1] ?? found[0];
};

/** The change of an agent of Mastra: its import, and the lines of its guards. */
const asDiff = (code: string): string =>
  code
    .replace(/^import \{ Agent \} from 'mastra-interlock';$/m, "import { Agent } from '@mastra/core/agent'; // [!code --]\n$&")
    .replaceAll(/^(?!.*\/testing).*(?:'mastra-interlock|putProcessors).*$/gm, '$& // [!code ++]');

/** Markdown of the README, from the folder of the pages. */
const fromPages = (text: string): string => text.replaceAll('](docs/', '](./');

/**
 * The home page of the site: the claim, the failures, the first program as a diff and the picture of the README, the live page's
 * pipeline, and the table of contents of the documentation.
 */
export const homeOf = (readme: string, contents: string): string => {
  const claim = required(readme, /^\*\*(.*)\*\*/m).replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const tagline = required(readme, /^\*\*.*\*\* ([^[\n]*)/m);
  const program = required(readme, /^```ts\n[^]*?^```\n+```text\n[^]*?^```$/m);
  const hero = {
    name: 'Interlock',
    text: claim,
    tagline,
    actions: [
      { theme: 'brand', text: 'Start', link: '/guide/start' },
      { theme: 'alt', text: 'Built-in guards', link: '/guide/guards' },
      { theme: 'alt', text: 'Try it in the browser', link: '/live' },
    ],
  };
  return [
    `---\n${JSON.stringify({ layout: 'home', hero }, undefined, 2)}\n---`,
    fromPages(required(readme, /^In Mastra [^]*?(?=^## )/m)),
    `## Add guards to an agent\n\n${asDiff(program)}\n\nThe AI SDK alone: [wrap a model](guide/ai-sdk.md#a-guarded-model), or use [an agent with tools](guide/ai-sdk.md#a-guarded-agent).`,
    `## See every decision\n\n${fromPages(required(readme, /^!\[.*\]\(docs\/pictures\/.*\)$/m))}`,
    '## Try it\n\nEdit the guards, and split the answer where you like.\n\n<LivePipeline />',
    required(contents, /^## [^]*/m),
  ].join('\n\n');
};
