import { describe, expect, it } from 'vitest';
import { callFaultsIn } from '../../bin/check.js';

const namesIn = (source: string) =>
  callFaultsIn(source).map(({ line, severity, message }) => `${line} ${severity} ${/^"(\w+)"/.exec(message)?.[1] ?? ''}`);

describe('the calls of agents in a file', () => {
  it('are read with their lines, and options without an effect are warnings', () => {
    const source = `
const writer = new Agent({ output: 1 });
// agent.generate('Hi', { temperature: 1 })
const { text } = await writer.generate("a, { b", { memory: { thread: 't', topP: 1 }, temperature: 0.5, ...rest });
for await (const part of (await mastra.getAgent('a').stream(\`\${x}\`, {
  output: z.object({ a: z.string() }),
  maxSteps: 3, telemetry,
})).fullStream) use(part);
await supportAgent?.generate<T>([{ role: 'user', content: 'x' }], { format: 'aisdk', abortSignal: null });
`;
    expect(namesIn(source)).toEqual(['4 warning temperature', '5 warning output', '5 warning telemetry', '9 warning format']);
  });

  it('an option on which a promise depends is an error, as at the call', () => {
    expect(namesIn(`agent.generate('Hi', { inputProcesors: [], requireToolAproval: true });`)).toEqual([
      '1 error inputProcesors',
      '1 error requireToolAproval',
    ]);
  });

  it('a value without an effect is a warning, an invalid one an error', () => {
    expect(namesIn(`agent.generate('Hi', { maxSteps: 0, toolCallConcurrency: 'two', savePerStep: 3 });`)).toEqual([
      '1 warning maxSteps',
      '1 error savePerStep',
    ]);
  });

  it.each([
    ['another class', `await images.generate('A cat', { temperature: 1 });`],
    ['one argument', `await agent.generate({ temperature: 1 });`],
    ['options in a variable', `await agent.generate('Hi', options);`],
    ['null', `await agent.generate('Hi', { temperature: null });`],
    ['supported options', `await agent.stream('Hi', { maxSteps: 2, memory, onFinish() {} });`],
  ])('%s has no fault', (_case, source) => expect(namesIn(source)).toEqual([]));
});
