import { randomUUID } from 'node:crypto';
import { handlers, object, type ObjectContext, type ObjectSharedContext, rpc, TerminalError } from '@restatedev/restate-sdk';
import type { Ingress } from '@restatedev/restate-sdk-clients';

import { keepTrying } from '../calls.js';
import { TakenOver } from '../journal.js';
import { type Admin, resourceHeader } from './admin.js';
import { plainText, retryHeader, type RunWorkflow, type RunWorkflowDefinition } from './run-workflow.js';

/** The number of processes that died of a run after the same step. */
interface Deaths {
  readonly steps: number;
  readonly count: number;
}

interface PersistedPart {
  readonly text: string;
  /** The execution that stored it. */
  readonly by: string;
}

const deathsName = 'deaths';
const holderName = 'holder';
const partName = (part: string): string => `part ${part}`;

/** The stored result of a part, and whether the attempt that asks for it is the last one that has started. */
const find = async (
  context: ObjectSharedContext,
  { part, by }: { readonly part: string; readonly by: string },
): Promise<{ readonly text?: string; readonly isHeld: boolean }> => {
  const [known, holder] = [await context.get<PersistedPart>(partName(part)), await context.get<string>(holderName)];
  return { ...(known && { text: known.text }), isHeld: holder === by };
};

/** Returns whether the caller stored the value: true for the first caller only. */
const keep = async (
  context: ObjectContext,
  { part, ...persisted }: PersistedPart & { readonly part: string },
): Promise<boolean> => {
  const known = await context.get<PersistedPart>(partName(part));
  if (known === null) context.set<PersistedPart>(partName(part), persisted);
  return known === null || known.by === persisted.by;
};

const noteLife = async (
  context: ObjectContext,
  { steps, by }: { readonly steps: number; readonly by: string },
): Promise<number> => {
  context.set(holderName, by);
  const before = await context.get<Deaths>(deathsName);
  const count = before?.steps === steps ? before.count + 1 : 0;
  context.set<Deaths>(deathsName, { steps, count });
  return count;
};

const noteSurvival = async (context: ObjectContext): Promise<void> => {
  const before = await context.get<Deaths>(deathsName);
  if (before) context.set<Deaths>(deathsName, { ...before, count: before.count - 1 });
};

const forget = async (context: ObjectContext): Promise<void> => context.clearAll();

/**
 * Restarts a lost run of a workflow. Restate cannot restart workflows: this deletes the run's invocation and starts another,
 * which finds the results of the first one's steps here. As a handler, it survives its process between these actions.
 */
const retryWith = (workflow: string, admin: Admin | undefined) => async (context: ObjectContext) => {
  if (!admin) throw new TerminalError('The process that Restate has called has no `adminUrl`.');
  const { key } = context;
  const lost = await context.run('journal', async () => (await admin.lostRun(key)) ?? null);
  if (!lost) return false;
  for (const step of lost.steps) context.set<PersistedPart>(partName(step.key), { text: step.text, by: 'retry' });
  context.clear(deathsName);
  await context.run('purge', () => admin.purge(key));
  const headers = { ...(lost.resource !== undefined && { [resourceHeader]: lost.resource }), [retryHeader]: 'true' };
  context
    .workflowSendClient<RunWorkflowDefinition>({ name: workflow }, key)
    .run(lost.input, rpc.sendOpts({ input: plainText, headers }));
  return true;
};

/** A Restate object for each run of a program's workflow. It stores the run's data outside its journal. */
export const ledgerObject = (workflow: string, admin: Admin | undefined) =>
  object({
    name: `${workflow}.ledger`,
    handlers: { find: handlers.object.shared(find), keep, noteLife, noteSurvival, forget, retry: retryWith(workflow, admin) },
    options: { enableLazyState: true, journalRetention: 0 }, // a call needs one part of many
  });

/** The ledger of a run, as one attempt at it sees it. Calls are repeated until the attempt is over: the result of a tool is never given up. */
export const ledgerOf =
  (ingress: Ingress, ledger: ReturnType<typeof ledgerObject>): RunWorkflow['ledgerOf'] =>
  (runId, over) => {
    const run = ingress.objectClient(ledger, runId);
    const by = randomUUID();
    let hasStarted = false;
    const patiently = <T>(act: () => Promise<T>): Promise<T> => keepTrying(act, 'ingressUrl', over).done;
    return {
      find: async (part) => {
        const { text, isHeld } = await patiently(async () => run.find({ part, by }));
        if (hasStarted && !isHeld) throw new TakenOver();
        return text;
      },
      keep: async (part, text) => {
        if (!(await patiently(async () => run.keep({ part, text, by })))) throw new TakenOver();
      },
      countStart: async (steps) => {
        const deaths = await run.noteLife({ steps, by });
        hasStarted = true;
        return deaths;
      },
      uncountStart: async () => run.noteSurvival(),
    };
  };
