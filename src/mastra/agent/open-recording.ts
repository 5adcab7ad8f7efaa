import type { Processor } from '@mastra/core/processors';
import { phases } from '../../phase/table.js';
import { withoutHeaders } from '../../loop/record-ports.js';
import { createRecording, readAhead, type HeaderFacts, type Recording } from '../../loop/run-recording.js';
import type { LoopPorts, StepSettings } from '../../loop/ports.js';
import type { Lanes, Run } from '../../loop/run.js';
import { recorderOf } from '../../trace/observers.js';
import { parentCall } from '../../trace/parent-call.js';
import type { CallOptions } from '../call-options.js';
import type { InterlockConfig } from './config.js';
import type { Chains } from './chains.js';
import type { Conversation } from '../memory/memory.js';
import { readOutputSchema } from '../structured-output/output-schema.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';

/** The parts of a starting call that its recording needs. */
interface Recorded {
  /** True if the run started elsewhere: then it is not recorded here. */
  readonly isContinued: boolean | undefined;
  /** Interlock's own options of the run. */
  readonly own: InterlockConfig;
  readonly options: CallOptions;
  readonly runId: string;
  readonly ports: LoopPorts;
  readonly lanes: Lanes;
  readonly settings: StepSettings;
  readonly conversation: Conversation | undefined;
  readonly chains: Pick<Chains, 'recalling' | 'memory'>;
}

/** A recording that has not started: the ports and lanes that replace the run's own, and the function that starts it. */
interface OpenRecording extends Pick<Recording, 'ports' | 'lanes'> {
  /** Undefined when the run is not recorded. */
  readonly recording?: Recording;
  startRecording(run: Run): Promise<void>;
}

/** Opens the recording that the call, its agent or an observer of the process requests. */
export const openRecording = ({ own, options, ports, lanes, runId, ...call }: Recorded): OpenRecording => {
  const recorder = call.isContinued ? undefined : recorderOf(own.record);
  /** Also for a run that is not recorded: its spans conceal the same. */
  const read = (run: Run) => readAhead(lanes, run.scope, run.scope.host.messages.read(run.state.list, 'all'));
  if (!recorder) return { ports, lanes, startRecording: read };
  const memory = conversationFacts(call.chains);
  const memoryIds = new Set([...memory.before, ...memory.after].map(({ id }) => id));
  const recording = createRecording({ ports, lanes, runId, recorder, memoryIds });
  const facts: HeaderFacts = {
    threadId: call.conversation?.threadId,
    parent: parentCall(),
    ...(memoryIds.size > 0 && { memory }),
    recordEdits: own.recordEdits,
    settings: settingsOf(call.settings, options),
  };
  const startRecording = (run: Run) => read(run).then(() => recording.start(run, facts));
  return { ports: recording.ports, lanes: recording.lanes, recording, startRecording };
};

/** The processors of the memory, which a replay replaces. */
const conversationFacts = ({ recalling, memory }: Recorded['chains']): NonNullable<HeaderFacts['memory']> => ({
  before: recalling.map(factsOf),
  after: memory.map(factsOf),
});

const factsOf = (processor: Processor): { id: string; hooks: string[] } => ({
  id: processor.id,
  hooks: Object.values(phases).flatMap(({ hook }) => (typeof processor[hook] === 'function' ? [hook] : [])),
});

/** The settings of each step as plain data, with schemas as JSON schema. */
const settingsOf = (
  { toolChoice, activeTools, providerOptions, modelSettings }: StepSettings,
  options: CallOptions,
): HeaderFacts['settings'] => {
  const { structuredOutput } = options;
  return {
    toolChoice,
    activeTools,
    providerOptions,
    modelSettings: withoutHeaders(modelSettings),
    structuredOutput: structuredOutput && objectFacts(structuredOutput),
  };
};

const objectFacts = ({ schema, errorStrategy, fallbackValue, model }: StructuredOutput): object => ({
  schema: readOutputSchema(schema).own,
  errorStrategy,
  fallbackValue,
  ...(model !== undefined && { model: 'recorded' }), // a replay reads the object from the recording
});
