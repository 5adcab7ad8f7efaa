import {
  handlers,
  type internal,
  RestatePromise,
  type Serde,
  TerminalError,
  workflow,
  type WorkflowContext,
  type WorkflowSharedContext,
} from '@restatedev/restate-sdk';
import { setTimeout } from 'node:timers/promises';

import { type Append, type Durable, type OutsideWait, type Program, TakenOver } from '../journal.js';
import { createExecution, DeadlyRun, type Execution, inParts, type Ledger, type Suspects } from '../ledger.js';
import { resourceName, resourceHeader } from './admin.js';
import { attemptHeader } from './endpoint.js';
import type { RestateSettings } from './restate-options.js';

/** The status with which a run that was given up ends, as the ingress reports it. */
const abandonedStatus = 410;

export interface RunWorkflow {
  readonly name: string;
  readonly program: Program;
  readonly settings: RestateSettings;
  readonly suspects: Suspects;
  /** Aborted when this process must start no more steps. */
  readonly closing: AbortSignal;
  /** The runs under way in this process. */
  readonly underWay: Set<Promise<unknown>>;
  /** `over`: aborted when the attempt is over. */
  ledgerOf(runId: string, over: AbortSignal): Ledger;
  publisherOf(over: AbortSignal): Durable['publish'];
  /** Adds records through the workflow, exactly once. */
  append(context: WorkflowContext, append: Append): Promise<unknown>;
  /** Whether the cancellation of a run was requested. */
  isCanceled(runId: string): Promise<boolean>;
  /** Ends the input of an attempt, see `Endpoint`. */
  endInput(attempt: string): void;
  /** Wakes a run that waits for an awakeable. */
  wake(runId: string, awakeable: string, delayMs?: number): Promise<void>;
  /** Deletes the data outside the journal of a run that has ended. */
  forget(context: WorkflowContext): void;
}

/** A call about a run: its journal is not needed after it. */
const brief = { journalRetention: 0 } as const;

/** The Restate workflow of a program: an invocation for each run, keyed by its id. */
export const runWorkflow = (parts: RunWorkflow) => {
  const { name, settings } = parts;
  return workflow({
    name,
    handlers: {
      run: handlers.workflow.workflow({ input: plainText, output: plainText }, (context: WorkflowContext, input: string) =>
        counted(parts.underWay, execute(parts, context, input)),
      ),
      cancel: handlers.workflow.shared(brief, async (context: WorkflowSharedContext) =>
        context.promise<boolean>(cancelName).resolve(true),
      ),
      isCanceled: handlers.workflow.shared(brief, async (context: WorkflowSharedContext) =>
        Boolean(await context.promise<boolean>(cancelName).peek()),
      ),
      wake: handlers.workflow.shared(brief, async (context: WorkflowSharedContext, awakeable: string) =>
        context.resolveAwakeable(awakeable, true),
      ),
    },
    options: {
      workflowRetention: settings.retentionMs,
      journalRetention: settings.retentionMs, // `retry` and `fork` read it; the server's own default is a day
      // Restate gets no messages from a step while it computes or waits.
      inactivityTimeout: settings.stepTimeoutMs,
      abortTimeout: settings.stepTimeoutMs,
      // The server's own default gives up after some attempts.
      retryPolicy: { initialInterval: 250, exponentiationFactor: 2, maxInterval: 10_000, maxAttempts: 2_147_483_647 },
    },
  });
};

const counted = (underWay: Set<Promise<unknown>>, run: Promise<string>): Promise<string> => {
  underWay.add(run);
  return run.finally(() => underWay.delete(run));
};

const cancelName = 'cancel';

/** The handlers of a program's workflow. */
export type RunWorkflowDefinition = ReturnType<typeof runWorkflow>;

/** The header of a run that continues a lost one. The ledger has the results of that one's steps. */
export const retryHeader = 'x-interlock-retry';

/** One attempt at a run, from its stored steps on. */
const execute = async (parts: RunWorkflow, context: WorkflowContext, input: string): Promise<string> => {
  const { program, suspects, settings } = parts;
  const over = context.request().attemptCompletedSignal;
  const ledger = parts.ledgerOf(context.key, over);
  const resource = context.request().headers.get(resourceHeader);
  if (resource !== undefined) context.set(resourceName, decodeURIComponent(resource)); // for the list
  const execution = createExecution(ledger, settings.maxDeaths, suspects);
  try {
    const ended = await program.run(durableOn(parts, context, { ledger, execution }), { runId: context.key, input });
    // The serialized output can differ between processes; Restate expects the first one.
    const first = context.run('output', () => ended, { serde: plainText });
    const output = await unlessOver(first, over);
    parts.forget(context);
    return output;
  } catch (error) {
    if (!(error instanceof TerminalError || error instanceof TakenOver)) await execution.interrupt().catch(() => undefined); // reported by the next attempt, at worst as a death
    throw error;
  } finally {
    execution.end();
  }
};

const durableOn = (
  { closing, isCanceled, ...parts }: RunWorkflow,
  context: WorkflowContext,
  { ledger, execution }: { ledger: Ledger; execution: Execution },
): Durable => {
  const over = context.request().attemptCompletedSignal;
  const canceling = new AbortController();
  const canceled = canceling.signal;
  const cancelRequest = context.promise<boolean>(cancelName).get();
  const isRetry = context.request().headers.has(retryHeader);
  const isNew = (context as unknown as internal.ContextInternal).isProcessing(); // the journal has no step that must be repeated first
  const waitOutside: Durable['waitOutside'] = async (wait) => {
    const endInput = (): void => parts.endInput(String(context.request().attemptHeaders.get(attemptHeader)));
    const wake: Attempt['wake'] = (awakeable, delayMs) => parts.wake(context.key, awakeable, delayMs);
    await unlessOver(suspendUntilWoken({ context, cancelRequest, endInput, wake }, wait), over);
    canceling.abort();
  };
  let steps = 0;
  let isLive = false;
  const publish = parts.publisherOf(over);
  const startStep = (key: string, body: StepBody, records: StepRecords): RestatePromise<string> => {
    const live = async (): Promise<string> => {
      const known = isRetry ? await ledger.find(key) : undefined;
      if (known !== undefined) return known;
      isLive = true;
      await execution.start(() => steps).catch(giveUp);
      over.throwIfAborted();
      const text = await body(inParts({ ledger, step: key, canceled, over, publish }));
      return writeStep(text, records?.());
    };
    return context.run(key, live, { serde: plainText });
  };
  const settled = async (step: RestatePromise<string>): Promise<string> => {
    const isRequested = cancelRequest.map(() => true);
    if (!canceled.aborted && (await RestatePromise.race([step.map(() => false), isRequested]))) canceling.abort();
    return step;
  };
  return {
    step: async (key, body, records) => {
      closing.throwIfAborted();
      const { text, append } = readStep(await unlessOver(settled(startStep(key, body, records)), over));
      if (append) await unlessOver(parts.append(context, append), over);
      steps += 1;
      if (isLive) execution.pass();
      return text;
    },
    publish,
    canceled,
    over,
    lookForCancel: async () => {
      if (await isCanceled(context.key)) canceling.abort();
    },
    ...(isNew && { waitOutside }),
  };
};

type StepBody = Parameters<Durable['step']>[1];
type StepRecords = Parameters<Durable['step']>[2];

/** A step in Restate's journal: its records in the first line, which the workflow then sends to their object, and its result. */
const writeStep = (text: string, append: Append | undefined): string => `${append ? JSON.stringify(append) : ''}\n${text}`;

export const readStep = (stored: string): { readonly text: string; readonly append: Append | undefined } => {
  const end = stored.indexOf('\n');
  return { text: stored.slice(end + 1), append: end > 0 ? (JSON.parse(stored.slice(0, end)) as Append) : undefined }; // written by writeStep
};

const giveUp = (error: unknown): never => {
  throw error instanceof DeadlyRun ? new TerminalError(error.message, { errorCode: abandonedStatus }) : error;
};

/** Restate leaves pending operations open when it ends an attempt; this rejects them. */
const unlessOver = <T>(step: Promise<T>, over: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const end = (): void => reject(new Error('Restate has ended this attempt at the run.'));
    if (over.aborted) end();
    over.addEventListener('abort', end, { once: true });
    step.then(resolve, reject).finally(() => over.removeEventListener('abort', end));
  });

/** Passes texts through Restate unchanged. */
export const plainText: Serde<string> = {
  contentType: 'text/plain',
  serialize: (value) => new TextEncoder().encode(value),
  deserialize: (bytes) => new TextDecoder().decode(bytes),
};

/** The access of an attempt at a run to Restate. */
interface Attempt {
  readonly context: WorkflowContext;
  /** The request to cancel the run. */
  readonly cancelRequest: RestatePromise<unknown>;
  /** Ends the input of the attempt: Restate suspends the run at its next wait. */
  endInput(): void;
  /** Wakes the run, after a delay if there is one. */
  wake(awakeable: string, delayMs?: number): Promise<void>;
}

/** Milliseconds after which a run is woken if its process does not wake it. Each time costs an attempt at the run. */
const longestWaitMs = 60_000;

/** Milliseconds in which the SDK reports the end of an earlier wait. */
const replayMs = 20;

/**
 * Suspends a run, so that it has no place among Restate's concurrent invocations. An awakeable is no entry of the journal: an attempt
 * that gets its turn at once replays without the earlier waits. Settles if the run is canceled.
 */
const suspendUntilWoken = async (attempt: Attempt, { until = Infinity, onLeave }: OutsideWait): Promise<void> => {
  const { context, cancelRequest, wake, endInput } = attempt;
  for (;;) {
    const { id, promise } = context.awakeable<boolean>();
    const woken = RestatePromise.race([promise.map(() => true), cancelRequest.map(() => false)]);
    const earlier = await Promise.race([woken, setTimeout(replayMs, undefined)]);
    if (earlier === false) return;
    if (earlier) continue;
    const withinMs = Math.max(Math.min(longestWaitMs, until - Date.now()), 0);
    await wake(id, withinMs);
    onLeave(() => void wake(id).catch(() => undefined), withinMs); // otherwise it is woken later
    endInput();
    if (!(await woken)) return;
  }
};
