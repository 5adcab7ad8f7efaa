import { connect, defaultShouldRetry, HttpCallError, SendOpts, type Ingress } from '@restatedev/restate-sdk-clients';
import { setTimeout } from 'node:timers/promises';
import { InterlockError } from '../../errors.js';
import { checkIntegration } from '../../integration.js';
import { unencrypted, TakenOver, type Engine, type Program, type ProgramRuns, type RunFound, type Durable } from '../journal.js';
import { keepTrying, together } from '../calls.js';
import { createSuspects, type Suspects } from '../ledger.js';
import { rejectOption } from '../option-checks.js';
import { adminOf, resourceHeader, type Admin } from './admin.js';
import { ledgerObject, ledgerOf } from './ledger-object.js';
import { boardObjects, boardOf, encryptionKey, markEncryption, notesName, type BoardObjects } from './objects.js';
import { createEndpoint, type Endpoint } from './endpoint.js';
import { readRestateOptions, type RestateOptions, type RestateSettings } from './restate-options.js';
import { readStep, runWorkflow, type RunWorkflow, type RunWorkflowDefinition } from './run-workflow.js';
import { fieldsIn } from '../../phase/plain-data.js';

/**
 * Runs that outlive their processes and machines, on a Restate server: its log stores them, and it sends them to live
 * processes. Needs the packages `@restatedev/restate-sdk` and `@restatedev/restate-sdk-clients`. Raises `durable/invalid-option`.
 *
 * @example
 * const durability = restate({ ingressUrl: 'http://127.0.0.1:8080', adminUrl: 'http://127.0.0.1:9070', listen: { port: 9080 } });
 * const agent = new InterlockAgent({ name: 'support', model, tools, durability });
 */
export const restate = (options: RestateOptions): Engine => {
  checkIntegration('@restatedev/restate-sdk', '@restatedev/restate-sdk-clients');
  const settings = readRestateOptions(options);
  const { ingressUrl, headers, patienceMs } = settings;
  const closed = new AbortController();
  const ingress = connect({
    url: ingressUrl.replace(/\/$/, ''),
    headers: { ...headers },
    fetch: (url, init) =>
      fetch(url, { ...init, signal: init?.signal ? AbortSignal.any([closed.signal, init.signal]) : closed.signal }),
    retry: {
      maxAttempts: false,
      maxInterval: 1_000,
      maxDuration: patienceMs,
      shouldRetry: (failure) => !closed.signal.aborted && defaultShouldRetry(failure),
    },
  });
  const closing = new AbortController();
  const endpoint = createEndpoint(settings, closing.signal);
  const hosted = new Set<string>();
  const suspects = createSuspects();
  const underWay = new Set<Promise<unknown>>();
  return {
    name: 'restate',
    isDurable: true,
    isFenced: true, // a process that lost the run's lease cannot write to it
    host: (program) => {
      if (hosted.has(program.id)) rejectOption('durability', `two agents with the id "${program.id}" share an engine.`);
      hosted.add(program.id);
      return hostOn({ settings, ingress, endpoint, suspects, closing: closing.signal, underWay }, program);
    },
    close: async () => {
      closing.abort(new Error('The engine is closing.'));
      await Promise.allSettled(underWay); // this process also stores the data next to the journals
      await endpoint.close();
      closed.abort(new Error('The engine is closed.')); // Restate's pending work here is not awaited
    },
  };
};

interface RestateHost {
  readonly settings: RestateSettings;
  readonly suspects: Suspects;
  readonly ingress: Ingress;
  readonly endpoint: Endpoint;
  readonly closing: AbortSignal;
  readonly underWay: Set<Promise<unknown>>;
}

const hostOn = ({ settings, suspects, ingress, endpoint, closing, underWay }: RestateHost, program: Program): ProgramRuns => {
  const name = serviceName(program.id);
  const admin = adminOf(settings, name, closing);
  const ledger = ledgerObject(name, admin);
  const board = boardObjects(name, settings.retentionMs);
  const workflow = runWorkflow({
    name,
    program,
    settings,
    suspects,
    closing,
    underWay,
    ledgerOf: ledgerOf(ingress, ledger),
    publisherOf: (over) => publisherOf(ingress, board, over),
    append: async (context, append) => context.objectClient(board.entries, append.runId).append(append),
    isCanceled: async (runId) => ingress.workflowClient<RunWorkflowDefinition>({ name }, runId).isCanceled(),
    endInput: endpoint.endInput,
    wake: wakeOn(ingress, name),
    forget: (context) => context.objectSendClient(ledger, context.key).forget(),
  });
  const check = async (): Promise<void> => {
    if (!program.isEncrypted && (await admin?.hasState(notesName(name), encryptionKey))) throw unencrypted(program);
  };
  endpoint.add([workflow, ledger, board.entries, board.notes], check);
  let isMarked = false;
  const reading = <T>(act: () => Promise<T>): Promise<T> => keepTrying(act, 'ingressUrl', closing).within(settings.patienceMs);
  const run = (runId: string) => ingress.workflowClient(workflow, runId);
  const findOne = async (runId: string): Promise<RunFound> => {
    await endpoint.ready();
    try {
      const output = await run(runId).workflowOutput();
      return output.ready ? { kind: 'ended', output: output.result } : { kind: 'running' };
    } catch (error) {
      return foundBy(error);
    }
  };
  const find = together((runIds) => runIds.map(findOne)); // one call for all readers of a run
  return {
    start: async ({ runId, input, resourceId }) => {
      await endpoint.ready();
      if (program.isEncrypted && !isMarked) await markEncryption(ingress, board).catch(unreachable);
      isMarked = true;
      const labels = SendOpts.from<string>({
        headers: resourceId === undefined ? {} : { [resourceHeader]: encodeURIComponent(resourceId) },
      });
      const { status } = await run(runId).workflowSubmit(input, labels).catch(unreachable);
      return status === 'Accepted';
    },
    find,
    board: boardOf(ingress, board, { ready: endpoint.ready, reading }),
    cancel: async (runId) => run(runId).cancel().then(undefined, unreachable),
    ...(admin && administered({ admin, ingress, ledger, ready: endpoint.ready, reading, find })),
  };
};

interface Administered {
  readonly admin: Admin;
  readonly ingress: Ingress;
  readonly ledger: ReturnType<typeof ledgerObject>;
  ready(): Promise<void>;
  reading<T>(act: () => Promise<T>): Promise<T>;
  find(runId: string): Promise<RunFound>;
}

/** The operations that need the admin API. */
const administered = ({ admin, ingress, ledger, ready, reading, find }: Administered): Partial<ProgramRuns> => ({
  abandon: (runId) => reading(() => admin.kill(runId)),
  journal: async (runId) => {
    const found = await reading(() => admin.journal(runId));
    return found && { ...found, steps: found.steps.map(({ key, text }) => ({ key, text: readStep(text).text })) };
  },
  retry: async (runId) => {
    await ready();
    const isRetried = await ingress.objectClient(ledger, runId).retry().then(undefined, unreachable);
    while (isRetried && (await find(runId)).kind === 'absent') await setTimeout(retryPollMs); // Restate starts it in a moment
    return isRetried;
  },
  list: (filter) => reading(() => admin.list(filter)),
  storedBytes: () => reading(() => admin.storedBytes()),
  drop: async (runId) => {
    await admin.purge(runId);
    await ingress.objectClient(ledger, runId).forget().then(undefined, unreachable);
  },
});

/** The handler of a run's workflow that the ingress calls after a delay. */
interface Wakeable {
  wake(context: unknown, awakeable: string): Promise<void>;
}

const wakeOn =
  (ingress: Ingress, name: string): RunWorkflow['wake'] =>
  async (runId, awakeable, delayMs) => {
    if (delayMs === undefined) return ingress.resolveAwakeable(awakeable, true);
    await ingress.objectSendClient<Wakeable>({ name }, runId).wake(awakeable, SendOpts.from({ delay: delayMs }));
  };

/** Milliseconds between two checks for the start of a retried run. */
const retryPollMs = 20;

/** Restate allows letters, digits, `-`, `_` and `.` in names. */
const serviceName = (id: string): string =>
  `interlock.${id.replace(/[^A-Za-z0-9-]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`)}`;

/** The statuses of a server that is there but cannot answer now; other errors are the run's own. */
const busy = new Set([429, 502, 503, 504]);

/** The state of a run from the error of its output. Raises `durable/unreachable`. */
const foundBy = (error: unknown): RunFound => {
  if (!(error instanceof HttpCallError) || busy.has(error.status)) return unreachable(error);
  if (error.status === 404) return { kind: 'absent' };
  return { kind: 'lost', reason: reasonIn(error.responseText) };
};

/** The message of an invocation's error, which Restate reports as JSON. */
const reasonIn = (body: string): string => {
  try {
    const { message } = fieldsIn(JSON.parse(body));
    if (message === 'killed') return 'it was abandoned.'; // Restate's only words for it
    return typeof message === 'string' ? message : body;
  } catch {
    return body;
  }
};

const unreachable = (cause: unknown): never => {
  throw new InterlockError('durable/unreachable', { path: 'ingressUrl', detail: String(cause), cause });
};

/** Adds records early, as one attempt at a run. */
const publisherOf = (ingress: Ingress, { entries: records }: BoardObjects, over: AbortSignal): Durable['publish'] => {
  let life: number | undefined;
  return async ({ runId, at, entries }) => {
    const request = { at, entries, life: at === undefined ? undefined : life };
    const append = async () => ingress.objectClient(records, runId).append(request);
    const place = await keepTrying(append, 'ingressUrl', over).done;
    if (place === null) throw new TakenOver();
    if (at === undefined) life = place;
    return place;
  };
};
