import {
  Agent,
  type AgentListSuspendedRunsOptions,
  type AgentListSuspendedRunsResult,
  type SubAgent,
  type ToolsInput,
} from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { Mastra } from '@mastra/core/mastra';
import type { ProcessorWorkflow } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import type { FoundOutcome } from '../../loop/call-response.js';
import type { Finding } from '../../pipeline/verify/finding.js';
import type { InterlockObjectResult, InterlockObjectStream, InterlockResult, InterlockStream } from './result-types.js';
import { answerTo, startCall, startedBy, resumeCall, streamTo, type CalledAgent } from './calls.js';
import type {
  InterlockAgentConfig,
  InterlockCallOptions,
  InterlockDeclineOptions,
  InterlockObjectOptions,
  InterlockPromptCall,
  InterlockResumeOptions,
  MastraCallOptions,
  MastraResumeOptions,
} from './config.js';
import { startedRunOf, durableRunsOf, needEngine } from '../durable/durable-calls.js';
import type { AttachOptions, DurableRuns, ForkOptions, RunOwner } from '../durable/durable-runs.js';
import { durableRunnerOf } from '../durable/durable-runner.js';
import type { Erased, RunFilter, RunSummary } from '../durable/run-operations.js';
import type { RunMetrics } from '../durable/run-metrics.js';
import type { Insides } from './forked-run.js';
import { idsOf } from './start-run.js';
import { readConfig, type AgentSetup } from './read-config.js';
import { refuseMethods } from './refused-methods.js';
import { hasGuards, registerOnProcessors, workflowsOf } from './registration.js';
import { createSuspendedRuns, listRuns, toListed } from './suspended-runs.js';
import { asSubAgents } from '../tools/sub-agents.js';
import type { VerifyOptions } from '../workflow/verify.js';
import { findingsOfAgent } from './verify-agent.js';
import { markStoredVersion } from './versions.js';

/** Reads what is the agent's own; set where the class is made. */
let insidesOf: (agent: InterlockAgent) => Insides;

/**
 * Mastra's agent with Interlock's loop: same constructor, tools, models, memory and registration, and the promises that follow
 * from the shape of the statechart. `generate` and `stream` run the loop; methods that would run another one raise
 * `agent/unsupported-method`; everything else is Mastra's. A supervisor gets `agent/refused` for an answer that a guard stopped.
 * Raises at construction: `agent/unknown-option`, `agent/unsupported-option`, `agent/invalid-option`, `pipeline/…`, `install/…`.
 * Mastra's members do not depend on TRequestContext: the compiler would compare unions of 8,000 model names with each other, for
 * a minute.
 * @example
 * const agent = new InterlockAgent({ name: 'support', instructions: 'Help.', model: 'openai/gpt-5', inputProcessors: moderation
 * }); const { status, text } = await agent.generate('Where is my order?');
 */
export class InterlockAgent<
  TAgentId extends string = string,
  TTools extends ToolsInput = ToolsInput,
  TOutput = undefined,
  TRequestContext = unknown,
> extends Agent<TAgentId, TTools, TOutput> {
  static {
    insidesOf = (agent) => ({
      setup: agent.#setup,
      streamed: (...run) => streamTo(agent.#called, startedBy(agent.#called, ...run)),
    });
    refuseMethods(this.prototype, (agent: InterlockAgent) => hasGuards(agent.#setup.guards));
  }

  readonly #setup: AgentSetup;
  #suspended = createSuspendedRuns();
  #durable: DurableRuns | undefined;

  constructor(config: InterlockAgentConfig<TAgentId, TTools, TOutput, TRequestContext>) {
    const setup = readConfig(config);
    super(setup.mastraConfig as never); // the same configuration, with guards and hooks in the forms that Mastra takes
    this.#setup = setup;
    const mastra = this.getMastraInstance();
    if (mastra) registerOnProcessors(mastra, setup.guards);
    this.#durable = durableRunsOf(this as unknown as Agent, setup); // see #called
  }

  /** Runs the loop to its end. Rejects where the run failed, with its code and cause; any other end is a result, see `throwOnTripwire`. */
  override generate<OUTPUT>(
    messages: MessageListInput,
    options: InterlockObjectOptions<OUTPUT>,
  ): Promise<InterlockObjectResult<OUTPUT>>;
  override generate(call: InterlockPromptCall): Promise<InterlockResult>;
  override generate(messages: MessageListInput, options?: InterlockCallOptions): Promise<InterlockResult>;
  override generate<OUTPUT>(messages: MessageListInput, options?: MastraCallOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override async generate(messages: unknown, options?: unknown): Promise<unknown> {
    return answerTo(this.#called, await startCall(this.#called, { mode: 'generate', messages, options }));
  }

  /** Starts the loop and gives its stream. Rejects for what is wrong before any model call. */
  override stream<OUTPUT>(
    messages: MessageListInput,
    options: InterlockObjectOptions<OUTPUT>,
  ): Promise<InterlockObjectStream<OUTPUT>>;
  override stream(call: InterlockPromptCall): Promise<InterlockStream>;
  override stream(messages: MessageListInput, options?: InterlockCallOptions): Promise<InterlockStream>;
  override stream<OUTPUT>(messages: MessageListInput, options?: MastraCallOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override async stream(messages: unknown, options?: unknown): Promise<unknown> {
    return streamTo(this.#called, await startCall(this.#called, { mode: 'stream', messages, options }));
  }

  /**
   * Goes on with a suspended run in this process, to its end or to where it is suspended again, with all that it began with.
   * Raises `agent/no-suspended-run`, and `agent/invalid-option` where `resumeData` does not answer the call that waits.
   */
  override resumeGenerate(resumeData: unknown, options: InterlockResumeOptions): Promise<InterlockResult>;
  override resumeGenerate<OUTPUT>(resumeData: unknown, options: MastraResumeOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override async resumeGenerate(resumeData: unknown, options: object): Promise<unknown> {
    return answerTo(this.#called, await resumeCall(this.#called, { mode: 'generate', resumeData, given: options }));
  }

  /** {@link resumeGenerate} as a stream: of what happens from now on. */
  override resumeStream(resumeData: unknown, options: InterlockResumeOptions): Promise<InterlockStream>;
  override resumeStream<OUTPUT>(resumeData: unknown, options: MastraResumeOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override async resumeStream(resumeData: unknown, options: object): Promise<unknown> {
    return streamTo(this.#called, await resumeCall(this.#called, { mode: 'stream', resumeData, given: options }));
  }

  /** A person approves of a call; its tool runs once every call of the step that needs approval is decided. */
  override approveToolCall(options: InterlockResumeOptions): Promise<InterlockStream>;
  override approveToolCall<OUTPUT>(options: MastraResumeOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override approveToolCall(options: InterlockResumeOptions): Promise<unknown> {
    return this.resumeStream({ approved: true }, options);
  }

  /** Declines a call: its tool does not run, and the model gets the reason. */
  override declineToolCall(options: InterlockDeclineOptions): Promise<InterlockStream>;
  override declineToolCall<OUTPUT>(options: MastraResumeOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override declineToolCall({ reason, ...options }: InterlockDeclineOptions): Promise<unknown> {
    return this.resumeStream({ approved: false, reason }, options);
  }

  /** {@link approveToolCall}, to the end. */
  override approveToolCallGenerate(options: InterlockResumeOptions): Promise<InterlockResult>;
  override approveToolCallGenerate<OUTPUT>(options: MastraResumeOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override approveToolCallGenerate(options: InterlockResumeOptions): Promise<unknown> {
    return this.resumeGenerate({ approved: true }, options);
  }

  /** {@link declineToolCall}, to the end. */
  override declineToolCallGenerate(options: InterlockDeclineOptions): Promise<InterlockResult>;
  override declineToolCallGenerate<OUTPUT>(options: MastraResumeOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override declineToolCallGenerate({ reason, ...options }: InterlockDeclineOptions): Promise<unknown> {
    return this.resumeGenerate({ approved: false, reason }, options);
  }

  /**
   * Follows a run that an engine keeps, from any process, to its end or to where it is suspended; `from` a chunk's
   * `metadata.sequence` on. Raises `durable/no-engine` and `durable/no-run`; so do `resume` and `cancel`.
   */
  async attach(runId: string, options: AttachOptions = {}): Promise<InterlockStream> {
    const started = startedRunOf(await needEngine(this.#durable, 'attach').attach(runId, options), {});
    return (await streamTo(this.#called, started)) as InterlockStream; // see stream
  }

  /** {@link resumeStream} for a run that an engine keeps, by its id: from any process. */
  override resume(runId: string, resumeData: unknown, options?: Omit<InterlockResumeOptions, 'runId'>): Promise<InterlockStream>;
  override resume(
    ...args: Parameters<Agent<string, ToolsInput, TOutput>['resume']>
  ): ReturnType<Agent<string, ToolsInput, TOutput>['resume']>;
  override async resume(runId: string, resumeData: unknown, options?: object): Promise<unknown> {
    needEngine(this.#durable, 'resume');
    const given = { ...options, runId };
    const stream = await streamTo(this.#called, await resumeCall(this.#called, { mode: 'stream', resumeData, given }));
    return Object.assign(stream, { output: stream, cleanup: () => undefined, abort: () => this.cancel(runId) });
  }

  /** Reports the outcome of a call whose outcome was unknown (`tool/unknown-outcome`); the run continues with it. */
  resolveToolCall(runId: string, { toolCallId, ...found }: FoundOutcome & { toolCallId?: string }): Promise<InterlockStream> {
    return this.resume(runId, found, { toolCallId });
  }

  /** Ends a run that an engine keeps as `canceled`, wherever it is running or suspended. A run that has ended stays as it is. */
  async cancel(runId: string, owner?: RunOwner): Promise<void> {
    await needEngine(this.#durable, 'cancel').cancel(runId, owner);
  }

  /** Continues a run that the engine gave up (`durable/lost-run`), from what its journal holds. */
  async retry(runId: string, owner?: RunOwner): Promise<void> {
    await needEngine(this.#durable, 'retry').retry(runId, owner);
  }

  /**
   * Gives up a run that is queued, running or waits for its code, without running anything of it: it is listed as `lost`, and its journal stays for
   * `retry` and `fork`. Raises `durable/no-run` for a run that has ended, or waits for a person. On Restate it needs `adminUrl`.
   */
  async abandon(runId: string, owner?: RunOwner): Promise<void> {
    await needEngine(this.#durable, 'abandon').abandon(runId, owner);
  }

  /**
   * Begins a new run that goes on from a step of another one, whatever became of that, and streams it. Steps before it are not
   * done again. Tools after it run with keys of their own. Raises `durable/no-run`, `durable/no-step`, and
   * `durable/unsupported-operation` on Restate.
   */
  async fork(runId: string, { newRunId, ...options }: ForkOptions = {}): Promise<InterlockStream> {
    const forked = { ...options, newRunId: newRunId ?? idsOf(this.#called.agent)('run') };
    const started = startedRunOf(await needEngine(this.#durable, 'fork').fork(runId, forked), {});
    return (await streamTo(this.#called, started)) as InterlockStream; // see stream
  }

  /** What becomes of the runs that the agent's engine keeps, in numbers. */
  runMetrics(): Promise<RunMetrics> {
    return needEngine(this.#durable, 'runMetrics').metrics();
  }

  /** Cancels the runs of a resource, and deletes everything that the engine keeps of them. Memory and traces are not touched. */
  erase({ resourceId }: { resourceId: string }): Promise<Erased> {
    return needEngine(this.#durable, 'erase').erase(resourceId);
  }

  /** Deletes what is kept of runs that ended before a time, those that wait aside; returns how many. */
  prune({ olderThan }: { olderThan: Date }): Promise<number> {
    return needEngine(this.#durable, 'prune').prune(olderThan);
  }

  /** The suspended runs of this agent, the last one first: those in this process, and those that its engine keeps. */
  override async listSuspendedRuns(options: AgentListSuspendedRunsOptions = {}): Promise<AgentListSuspendedRunsResult> {
    const waiting = (await this.#durable?.list({ status: 'suspended', limit: Infinity })) ?? [];
    const kept = waiting.filter((run) => run.status === 'suspended');
    return listRuns([...this.#suspended.list().map(toListed), ...kept], options);
  }

  /** The runs that this agent's engine keeps, the last one first. An engine that cannot list its runs gives those that wait alone. */
  async listRuns(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    return (await this.#durable?.list(filter)) ?? [];
  }

  /**
   * What {@link verify} says of the agent's guards, those aside that a function gives for each request. Errors were refused when
   * the agent was built, so these are warnings, and what a `latencyBudgetMs` asks for.
   */
  findings(options: VerifyOptions = {}): readonly Finding[] {
    return findingsOfAgent(this.id, this.#setup, options);
  }

  /** The workflows that Mastra registers with this agent: its lanes, and each pipeline in them. */
  override async getConfiguredProcessorWorkflows(): Promise<ProcessorWorkflow[]> {
    return (await workflowsOf(this.id, this.#setup.guards, new RequestContext())) as ProcessorWorkflow[];
  }

  /** Mastra hands itself to the processors in an agent's arrays; here also to those inside pipelines. */
  override __registerMastra(mastra: Mastra): void {
    super['__registerMastra'](mastra);
    if (#setup in this) registerOnProcessors(mastra, this.#setup.guards);
  }

  /** The sub-agents as this agent's tools call them: to a supervisor's call they refuse where a guard stopped them. */
  override async listAgents(options?: {
    requestContext?: RequestContext;
  }): Promise<Record<string, SubAgent<string, TRequestContext>>> {
    return asSubAgents(await super['listAgents'](options));
  }

  /** A copy that the host may change, e.g. to run a stored version; it keeps the loop. */
  override __fork(): Agent<TAgentId, TTools, TOutput, TRequestContext> {
    const config = this.#setup.config as InterlockAgentConfig<TAgentId, TTools, TOutput, TRequestContext>;
    const ofEngine = { durability: undefined, runQueue: undefined, deadlineMs: undefined };
    const fork = new InterlockAgent({ ...config, ...ofEngine, rawConfig: this.toRawConfig() });
    const mastra = this.getMastraInstance();
    if (mastra && !config.mastra) fork['__registerMastra'](mastra);
    fork.source = this.source;
    fork.#suspended = this.#suspended;
    fork.#durable = this.#durable;
    return fork;
  }

  /** Mastra marks a copy to which it has applied a stored version. */
  override __markStoredVersionApplied(): void {
    super['__markStoredVersionApplied']();
    markStoredVersion(this);
  }

  get #called(): CalledAgent {
    const agent = this as unknown as Agent; // Mastra's agent without its type parameters, as Mastra's functions take it
    const [setup, durable] = [this.#setup, this.#durable];
    return {
      agent,
      setup,
      suspended: this.#suspended,
      runner: (options) => durableRunnerOf({ agent, setup, durable }, options),
      as: (version) => (version as unknown as InterlockAgent).#called, // a copy that __fork made
    };
  }
}

/** How an agent was built. */
export const insidesOfAgent = (agent: InterlockAgent): Insides => insidesOf(agent);
