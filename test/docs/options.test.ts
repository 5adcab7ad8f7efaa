import { describe, expect, it } from 'vitest';

import { guardOptionKinds } from '../../src/ai-sdk/guard-options.js';
import { isHonoured, optionTreatments } from '../../src/mastra/agent/options.js';
import { refusedMethods } from '../../src/mastra/agent/refused-methods.js';

type Treatment = (typeof optionTreatments)['call'][string];

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const told = (treatment: Treatment): string => {
  if (isHonoured(treatment)) return `${sentence(treatment.says)}.`;
  if (treatment.harmless({})) return 'Taken; there is nothing here that it would change.';
  const why = treatment.detail ? ` ${sentence(treatment.detail)}` : '';
  return `${treatment.harmless(false) ? 'Refused unless `false`.' : 'Refused.'}${why}`;
};

const table = (head: string, rows: readonly (readonly [string, string])[]): string =>
  [`| ${head} | |`, '| --- | --- |', ...rows.map(([name, what]) => `| \`${name}\` | ${what} |`)].join('\n');

const optionsOf = (where: keyof typeof optionTreatments): string =>
  table(
    'option',
    Object.entries(optionTreatments[where])
      .filter(([name]) => !name.startsWith('_')) // Mastra's own signs to itself
      .map(([name, treatment]) => [name, told(treatment)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

const document = `<!-- Made from src/mastra/agent/options.ts, src/mastra/agent/refused-methods.ts and src/ai-sdk/guard-options.ts: npm test -- test/docs/options.test.ts -u -->

# Options of Mastra's agent

Every option of Mastra's agent is honoured, and takes what its row says, or is refused by name with \`agent/unsupported-option\`; none is
ignored. A name that is in no table here is \`agent/unknown-option\`, any other value, \`null\` too, \`agent/invalid-option\` with the place
in it. All of that is said before any model is called; \`undefined\` is as if the option were not there.

## Of a call

${optionsOf('call')}

A call may ask for more than its agent does, not for less: data may have come with a request. An empty \`inputProcessors\`, \`outputProcessors\`
or \`errorProcessors\`, a weaker \`hold\`, a \`persistence\` that keeps more, and a \`requireToolApproval\` that is off are refused with
\`agent/loosened-option\` where the agent or its \`defaultOptions\` say otherwise. A program may say as a function what a request cannot:
\`inputProcessors: () => []\`, \`requireToolApproval: () => false\`; the rest is said by \`defaultOptions\`, which may be a function of the request.

A call that resumes a run takes \`runId\`, \`toolCallId\`, \`abortSignal\`, the callbacks, \`experimentalTransform\`, \`requestContext\`,
\`actor\` and \`memory\`; everything else is as the run began with it, and may be repeated with the same value.

## Of the configuration

${optionsOf('config')}

## Methods

These would run a loop without the promises, and reject with \`agent/unsupported-method\`. Those of a network and the legacy ones work for an
agent without guards, which has nothing that they could skip; guards of the agents of a network hold there, too.

${table(
  'method',
  Object.entries(refusedMethods).map(([name, why]) => [name, sentence(why)] as const),
)}

## Of a run in the AI SDK

\`guardOptions\` of \`guardedToolLoop\`, and the options of \`createGuardedRun\` and of each adapter. Any other value is \`ai-sdk/invalid-option\`.

${table(
  'option',
  Object.entries(guardOptionKinds)
    .map(([name, { says }]) => [name, `${sentence(says)}.`] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1)),
)}
`;

describe('docs/options.md', () => {
  it('says what becomes of every option', async () => expect(document).toMatchFileSnapshot('../../docs/options.md'));

  it('tells refusals apart', () => {
    expect(document).toContain('| `maxSteps` | A whole number from 1. |');
    expect(document).toContain('| `eagerToolExecution` | Refused unless `false`. No tool runs before its step was judged. |');
    expect(document).toContain('| `network` | A network routes');
  });
});
