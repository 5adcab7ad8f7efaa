import { createServer } from 'node:http2';
import { DBOS } from '@dbos-inc/dbos-sdk';
import { createEndpointHandler, workflow, type WorkflowContext } from '@restatedev/restate-sdk';
import { OpenWorkflow } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { EngineSpec } from '../../test/engines/engine-spec.js';
import { freePorts } from '../../test/engines/servers/mortal-server.js';

/** Runs so many empty steps on an engine, from the start of the run until it is stored as ended. */
type RunSteps = (steps: number) => Promise<unknown>;

/** The engine by itself, without code of this library. Call it before the engine is opened: DBOS rejects workflows after that. */
export const bareOf = (spec: EngineSpec): Promise<RunSteps> | RunSteps => {
  switch (spec.kind) {
    case 'openworkflow':
      return bareOpenWorkflow(`${spec.path}-bare`);
    case 'dbos':
      return bareDbos();
    case 'restate':
      return bareRestate(spec);
    default:
      return spec satisfies never;
  }
};

const bareOpenWorkflow = async (path: string): Promise<RunSteps> => {
  const backend = BackendSqlite.connect(path);
  const ends = new Map<string, () => void>();
  const complete = backend.completeWorkflowRun.bind(backend);
  backend.completeWorkflowRun = async (params) => {
    const run = await complete(params);
    ends.get(run.id)?.();
    return run;
  };
  const client = new OpenWorkflow({ backend });
  const empty = client.defineWorkflow<number, string>({ name: 'empty' }, async ({ input, step }) => {
    for (let index = 0; index < input; index += 1) await step.run({ name: String(index) }, async () => '');
    return '';
  });
  const worker = client.newWorker({ concurrency: 16 });
  await worker.start();
  return async (steps) => {
    const { workflowRun } = await empty.run(steps);
    const ended = new Promise<void>((resolve) => ends.set(workflowRun.id, resolve));
    await worker.tick(); // without a wait for the next poll
    await ended;
    ends.delete(workflowRun.id);
  };
};

const bareDbos = (): RunSteps =>
  DBOS.registerWorkflow(
    async (steps: number) => {
      for (let index = 0; index < steps; index += 1) await DBOS.runStep(async () => '', { name: String(index) });
      return '';
    },
    { name: 'empty' },
  );

const bareRestate = async ({ adminUrl, ingressUrl }: EngineSpec & { kind: 'restate' }): Promise<RunSteps> => {
  const empty = workflow({
    name: 'empty',
    handlers: {
      run: async (context: WorkflowContext, steps: number) => {
        for (let index = 0; index < steps; index += 1) await context.run(String(index), async () => '');
        return '';
      },
    },
  });
  const [port] = await freePorts(1);
  const server = createServer(createEndpointHandler({ services: [empty] }));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const post = async (url: string, body: unknown): Promise<void> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(url, init);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    await response.text();
  };
  await post(`${adminUrl}/deployments`, { uri: `http://127.0.0.1:${port}` });
  return (steps) => post(`${ingressUrl}/empty/${crypto.randomUUID()}/run`, steps);
};
