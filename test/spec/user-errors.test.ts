import { describe, expect, it } from 'vitest';

import { compile, guard, InterlockAgent, pipeline, type PipelineStep } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { expectRefusal, modes } from '../mastra/support.js';

const passing = (id: string) => ({ id, processInput: () => undefined as never });
const model = () => scriptedModel({ steps: [{ text: 'Hello.' }] });
type Wrong = { code: Parameters<typeof expectRefusal>[0]; guards: () => unknown; path?: string };

const wrongGuards: Record<string, Wrong> = {
  'a processor without an id': { code: 'pipeline/missing-id', guards: () => [{ processInput: () => [] }] },
  'a processor with an empty id': { code: 'pipeline/missing-id', guards: () => [passing('')] },
  'a pipeline without an id': { code: 'pipeline/missing-id', guards: () => pipeline('') },
  'duplicate ids': { code: 'pipeline/duplicate-id', guards: () => [passing('pii'), passing('pii')], path: 'pii' },
  'duplicate ids, one of them nested': {
    code: 'pipeline/duplicate-id',
    guards: () => [passing('pii'), pipeline('outer').then(pipeline('inner').then(passing('pii')))],
    path: 'pii',
  },
  'a processor with no hook': { code: 'pipeline/no-hook', guards: () => [{ id: 'idle' }], path: 'idle' },
  'a pipeline committed empty': { code: 'pipeline/empty', guards: () => pipeline('nothing').commit(), path: 'nothing' },
  'a pipeline left empty': { code: 'pipeline/empty', guards: () => pipeline('nothing'), path: 'nothing' },
  'a value that is no guard': { code: 'pipeline/invalid-step', guards: () => [42] },
  'a guard of the other lane': {
    code: 'pipeline/wrong-array',
    guards: () => [{ id: 'late', processOutputStep: () => [] }],
    path: 'a-input-processor/late: inputProcessors never call processOutputStep',
  },
  'a pipeline of the other lane': {
    code: 'pipeline/wrong-array',
    guards: () => pipeline('answers').then(pipeline('inner').then({ id: 'late', processOutputStep: () => [] })),
    path: 'answers: inputProcessors never call processOutputStep',
  },
  'an editing guard that overlaps with the model': {
    code: 'guard/overlap-edits',
    guards: () => [guard({ ...passing('pii'), traits: { decides: ['edit'] } }, { overlap: true })],
    path: 'a-input-processor/pii',
  },
};

describe('errors of users', () => {
  describe.each(Object.entries(wrongGuards))('%s', (_name, { code, guards, path }) => {
    it('is rejected when the agent is built', async () => {
      const used = model();
      const error = await expectRefusal(
        code,
        used,
        () => new InterlockAgent({ id: 'a', name: 'A', model: used, inputProcessors: guards() as PipelineStep[] }),
      );
      if (path) expect(error.message).toContain(path);
    });

    it.each(modes)('is rejected when it is passed to %s', async (mode) => {
      const used = model();
      const agent = new InterlockAgent({ id: 'a', name: 'A', model: used });
      await expectRefusal(code, used, () => agent[mode]('Hi', { inputProcessors: guards() as PipelineStep[] }));
    });

    it.each(modes)('is rejected when a function returns it in %s', async (mode) => {
      const used = model();
      const agent = new InterlockAgent({ id: 'a', name: 'A', model: used, inputProcessors: () => guards() as PipelineStep[] });
      await expectRefusal(code, used, () => agent[mode]('Hi'));
    });
  });

  it('an empty list of processors cannot be compiled', () => {
    expect(() => compile([])).toThrow(/pipeline\/empty/);
  });

  it.each(modes)('a misspelt option of guards is rejected by %s with its name', async (mode) => {
    const used = model();
    const agent = new InterlockAgent({ id: 'a', name: 'A', model: used });
    const error = await expectRefusal('agent/unknown-option', used, () => agent[mode]('Hi', { inputProcesors: [] } as object));
    expect(error.message).toContain('inputProcesors');
  });

  it('a misspelt option of guards in the configuration is rejected with its name', async () => {
    const used = model();
    const config = { id: 'a', name: 'A', model: used, inputProcesors: [] };
    const error = await expectRefusal('agent/unknown-option', used, () => new InterlockAgent(config));
    expect(error.message).toContain('inputProcesors');
  });

  it.each([
    ['a provider that does not exist', 'nosuch/model', 'nosuch'],
    ['an id without a provider', 'gpt-5', 'gpt-5'],
    ['an empty config', {}, undefined],
  ])('an unresolved model is rejected: %s', async (_name, wrong, detail) => {
    for (const mode of modes) {
      const agent = new InterlockAgent({ id: 'a', name: 'A', model: wrong as never });
      const act = async () => {
        const result = await agent[mode]('Hi');
        return 'getFullOutput' in result ? (result as { getFullOutput(): unknown }).getFullOutput() : result;
      };
      const error = await expectRefusal('agent/model-unresolved', { calls: [] }, act);
      if (detail) expect(error.message).toContain(detail);
    }
  });

  it.each([
    ['nothing', undefined],
    ['an empty string', ''],
    ['no messages', []],
    ['an object without a prompt', {}],
  ])('empty input is rejected: %s', async (_name, input) => {
    for (const mode of modes) {
      const used = model();
      const agent = new InterlockAgent({ id: 'a', name: 'A', model: used });
      await expectRefusal('agent/no-input', used, () => agent[mode](input as never));
    }
  });

  it.each([
    ['maxSteps', -1],
    ['maxSteps', 1.5],
    ['maxProcessorRetries', -1],
    ['toolCallConcurrency', 0],
    ['toolCallConcurrency', { limit: 'many' }],
  ])('an invalid value is rejected: %s %j', async (name, value) => {
    const used = model();
    const agent = new InterlockAgent({ id: 'a', name: 'A', model: used });
    const error = await expectRefusal('agent/invalid-option', used, () => agent.generate('Hi', { [name]: value }));
    expect(error.message).toContain(name);
  });
});
