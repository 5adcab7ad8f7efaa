import type { ProcessorSlot } from '../phase/scope.js';
import { systemTimer } from '../phase/timer.js';
import { createRecorder, type Position } from '../trace/recorder.js';
import type { Run, RunOptions } from './run.js';
import { writeCustom } from './write-custom.js';

/** Sets up a run; nothing happens yet. */
export const createRun = (options: RunOptions): Run => {
  const { ports, runId } = options;
  const position: Position = { stepNumber: 0, attempt: 1 };
  const signal = options.abortSignal ?? new AbortController().signal;
  const recorder = createRecorder({
    runId,
    position: () => ({ ...position }),
    wallClock: ports.wallClock,
    onEvent: listener(options, () => run),
  });
  const slots: Run['slots'] = new Map();
  const scope = createScope(options, signal, () => run);
  const run: Run = {
    options,
    scope,
    slots,
    recorder,
    position,
    signal,
    list: options.list,
    stop: undefined,
    error: undefined,
    feedback: undefined,
    baseSystem: [],
    start: undefined,
    firstStep: undefined,
    acceptedInput: undefined,
    beside: [],
    attempt: undefined,
    steps: [],
    accepted: [],
    resultStands: false,
    usage: { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined },
    messageId: ports.createId(),
    usedPartIds: new Set(),
    reusable: [],
    retries: 0,
    recoveries: 0,
    modelIndex: 0,
    status: undefined,
    restsAt: undefined,
    held: { chunks: [], from: 0 },
  };
  return run;
};

/** Who traces a run is told of it first, whatever the others do. */
const listener = ({ tracer, onEvent }: RunOptions, runOf: () => Run): RunOptions['onEvent'] =>
  tracer
    ? (event) => {
        try {
          tracer.hear(event, runOf());
        } finally {
          onEvent?.(event);
        }
      }
    : onEvent;

/** What hooks are handed; the run is there by the time the first hook is called. */
const createScope = ({ ports, runId, context, tracer }: RunOptions, abortSignal: AbortSignal, runOf: () => Run): Run['scope'] => {
  return {
    runId,
    host: ports.host,
    ...context,
    writer: { custom: (data) => writeCustom(runOf(), data) },
    abortSignal,
    retryCount: 0, // kept by the driver: a getter would give the scope of each run a shape of its own and slow every access
    slot: (id) => runOf().slots.get(id) ?? addSlot(runOf().slots, id),
    now: ports.now,
    reportGuard: (report) => runOf().recorder.guard(report),
    reportConflict: (report) => runOf().recorder.conflict(report),
    reportStale: (report) => runOf().recorder.stale(report),
    askBeside: (guard) => {
      const run = runOf();
      run.beside = [...run.beside, guard];
    },
    setTimer: systemTimer,
    openSpan: tracer?.openSpan,
    openShadow: () => runOf().recorder.openShadow(),
  };
};

const addSlot = (slots: Run['slots'], id: string): ProcessorSlot => {
  const slot = { state: {}, streamParts: [] };
  slots.set(id, slot);
  return slot;
};
