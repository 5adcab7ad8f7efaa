import { createTool } from '@mastra/core/tools';
import { expect, it } from 'vitest';
import { InterlockAgent, pipeline } from '../../src/index.js';
import { scriptedModel, type ScriptedStep } from '../../src/testing/index.js';
import type { Catalog } from '../protocol/catalog.js';
import type { RunPage } from '../protocol/runs.js';
import { openStudio } from './test-setup.js';

const agentOf = (id: string, steps: readonly ScriptedStep<'v2'>[], more: object = {}) =>
  new InterlockAgent({ id, name: id, description: id, instructions: 'Help.', model: scriptedModel({ steps }), ...more });

const callAgent = (id: string): ScriptedStep<'v2'> => ({
  toolCalls: [{ id: `call-of-${id}`, name: `agent-${id}`, args: { prompt: 'Go on.' } }],
});

const refuses = pipeline('refuses')
  .then({ id: 'secrecy', processOutputResult: async ({ abort }) => abort('It is a secret.') })
  .commit();

it('names the tools of sub-agents, which can run for real when a run is repeated', async () => {
  const open = createTool({ id: 'open', description: 'Opens it.', requireApproval: true, execute: async () => 'open' });
  const clerk = agentOf('clerk', [], { tools: { open } });
  const analyst = agentOf('analyst', [], { agents: { clerk } });
  const studio = await openStudio(agentOf('boss', [], { agents: { analyst }, tools: { look: open } }));
  const { agents } = await studio.json<Catalog>('catalog');
  expect(agents.find(({ id }) => id === 'boss')?.tools).toEqual([
    { name: 'look', approval: 'always' },
    { name: 'analyst › clerk › open', approval: 'always' },
  ]);
});

it('shows nested sub-agents in the run of their caller, with the guard that blocked', async () => {
  const clerk = agentOf('clerk', [{ text: 'The vault is open.' }], { outputProcessors: refuses });
  const analyst = agentOf('analyst', [callAgent('clerk'), { text: 'I do not know.' }], { agents: { clerk } });
  const boss = agentOf('boss', [callAgent('analyst'), { text: 'Done.' }], { agents: { analyst } });
  const studio = await openStudio(boss);
  const { runId, entries } = await studio.run('What is in the vault?', undefined, 'boss');
  const childrenOf = async (id: string) => (await studio.json<RunPage>(`runs?parent=${id}`)).runs;

  const [ofBoss, ...others] = await childrenOf(runId);
  expect(others).toEqual([]);
  expect(ofBoss).toMatchObject({ agentId: 'analyst', status: 'success', parent: { runId, toolCallId: 'call-of-analyst' } });
  const [ofAnalyst] = await childrenOf(ofBoss?.runId ?? '');
  expect(ofAnalyst).toMatchObject({
    agentId: 'clerk',
    status: 'tripwire',
    tripwire: { processorId: 'secrecy', reason: 'It is a secret.' },
    parent: { runId: ofBoss?.runId, toolCallId: 'call-of-clerk' },
  });
  expect(await childrenOf(ofAnalyst?.runId ?? '')).toEqual([]);

  const called = entries.find((entry) => entry.kind === 'event' && entry.event.type === 'tool-finish');
  expect(called).toMatchObject({ event: { toolCallId: 'call-of-analyst', outcome: 'result' } });
  const refused = (await studio.entriesOf(ofBoss?.runId ?? '')).find(
    (entry) => entry.kind === 'event' && entry.event.type === 'tool-finish',
  );
  expect(refused).toMatchObject({ event: { toolCallId: 'call-of-clerk', outcome: 'error' } });
  expect(await studio.json(`runs/${runId}`)).not.toHaveProperty('parent');
});
