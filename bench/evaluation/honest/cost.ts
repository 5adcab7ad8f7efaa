import type { Processor } from '@mastra/core/processors';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { z } from 'zod';
import {
  blockedTermsGuard,
  canaryGuard,
  jsonGuard,
  lengthGuard,
  limitGuard,
  linkGuard,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  scriptGuard,
  toolDescriptionGuard,
  toolPolicy,
  toolSecretsGuard,
  topicGuard,
  unicodeGuard,
} from '../../../workflows/guards/index.js';
import type { HonestText } from './corpora.js';
import { outcomeOf, type Place } from './judge-honest.js';

/** Each guard, and the place in which it reads a text, by the name of its row. */
export const costGuards: Readonly<Record<string, readonly [Processor, Place]>> = {
  redactor: [redactor({ strategy: 'replace' }), 'answer'],
  promptInjectionGuard: [promptInjectionGuard(), 'input'],
  unicodeGuard: [unicodeGuard(), 'answer'],
  'toolPolicy, with `tainted`': [toolPolicy({ tools: { t: { untrusted: true, tainted: 'deny' } } }), 'tool call'],
  toolSecretsGuard: [toolSecretsGuard(), 'tool call'],
  toolDescriptionGuard: [toolDescriptionGuard(), 'description'],
  'linkGuard, with a list of hosts': [linkGuard({ hosts: ['github.com'], strategy: 'strip' }), 'answer'],
  canaryGuard: [canaryGuard(), 'answer'],
  limitGuard: [
    limitGuard({ limits: [{ unit: 'runs', limiter: new RateLimiterMemory({ points: 1e9, duration: 60 }) }] }),
    'input',
  ],
  lengthGuard: [lengthGuard({ maxChars: 1_000_000 }), 'input'],
  qualityGuard: [qualityGuard(), 'step'],
  jsonGuard: [jsonGuard({ schema: z.unknown() }), 'step'],
  blockedTermsGuard: [blockedTermsGuard({ terms: ['initech', 'umbrella corp', 'globex'] }), 'answer'],
  topicGuard: [topicGuard({ topics: { packages: ['package', 'install'] } }), 'input'],
  scriptGuard: [scriptGuard({ scripts: ['Latin'] }), 'input'],
};

const passes = 6;

/** Prints the CPU time of each guard for a kilobyte of READMEs: the least of some passes. */
export const printCosts = async (texts: readonly HonestText[]): Promise<void> => {
  const pages = texts.filter(({ corpus }) => corpus === 'READMEs').slice(0, 60);
  const kB = pages.reduce((sum, { text }) => sum + text.length, 0) / 1_000;
  for (const [name, [guard, place]] of Object.entries(costGuards)) {
    let ms = Infinity;
    for (let pass = 0; pass < passes; pass += 1) {
      const start = process.cpuUsage();
      for (const { text } of pages) await outcomeOf(guard, text, place);
      const { user, system } = process.cpuUsage(start);
      ms = Math.min(ms, (user + system) / 1_000);
    }
    console.log(`${name}: ${(ms / kB).toFixed(3)} ms/kB in ${place === 'answer' ? 'an' : 'a'} ${place}, ${pages.length} texts`);
  }
};
