import type { Processor } from '@mastra/core/processors';
import type { Step, WorkflowConfig, WorkflowOptions } from '@mastra/core/workflows';
import { expectTypeOf, it } from 'vitest';

/** Fields with their effect in a pipeline, fields on which nothing there depends, and fields that are rejected by name, see `toGraph`. */
interface Known {
  readonly ofStep:
    | ('id' | 'inputSchema' | 'stateSchema' | 'requestContextSchema' | 'execute' | 'retries' | 'component')
    | ('description' | 'outputSchema' | 'metadata') // Mastra's engine checks no output
    | ('resumeSchema' | 'suspendSchema' | 'scorers');
  readonly ofWorkflow:
    | ('id' | 'inputSchema' | 'stateSchema' | 'options')
    | ('mastra' | 'description' | 'metadata' | 'outputSchema' | 'steps' | 'type')
    | 'executionEngine' // a run of the workflow alone keeps it
    | ('requestContextSchema' | 'retryConfig' | 'schedule');
  readonly ofOptions:
    | ('tracingPolicy' | 'validateInputs' | 'emitStepEvents' | 'sharePubsub' | 'autoRestartActiveRuns' | 'shouldPersistSnapshot')
    | ('evaluatePersistencePredicateBeforeDurableOperation' | 'allowUnclaimedResumes' | 'pruneSnapshot')
    | ('onStart' | 'onFinish' | 'onError');
  readonly ofProcessor:
    | ('id' | 'name' | 'description' | 'providesSkillDiscovery' | 'spanType' | 'spanName' | 'spanAttributes')
    | ('processorIndex' | 'processDataParts' | 'onViolation' | 'stateId' | 'computeStateSignal' | '__registerMastra')
    | ('processInput' | 'processInputStep' | 'processLLMRequest' | 'processAPIError' | 'processOutputStream')
    | ('processLLMResponse' | 'processOutputStep' | 'processToolResult' | 'processOutputResult');
}

it('every field of a step, a workflow and a processor of Mastra has a decision about its effect in a pipeline', () => {
  expectTypeOf<keyof Step>().toEqualTypeOf<Known['ofStep']>();
  expectTypeOf<keyof WorkflowConfig<string, unknown, unknown, unknown, Step[]>>().toEqualTypeOf<Known['ofWorkflow']>();
  expectTypeOf<keyof WorkflowOptions>().toEqualTypeOf<Known['ofOptions']>();
  expectTypeOf<keyof Processor>().toEqualTypeOf<Known['ofProcessor']>();
});
