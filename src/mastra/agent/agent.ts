import type * as host from '@mastra/core/agent';
import type { Agent as Stock, SubAgent, ToolsInput } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { Mastra } from '@mastra/core/mastra';
import type { ProcessorWorkflow } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import type { FullOutput, MastraModelOutput } from '@mastra/core/stream';
import type { FoundOutcome } from '../../loop/tool-call.js';
import type { Finding } from '../../pipeline/verify/checks.js';
import type { InterlockResult, InterlockStream } from './run-stream.js';
import { answerTo, startCall, resumeCall, streamTo, type CalledAgent } from './calls.js';
import type {
  InterlockAgentConfig,
  InterlockCallOptions,
  InterlockDeclineOptions,
  InterlockObjectOptions,
  InterlockPromptCall,
  InterlockResumeOptions,
  MastraCallOptions,
  MastraResumeOptions,
  MastraTextOptions,
} from './config.js';
import { durableRunsOf, forOperation, needEngine, durableRunnerOf } from '../durable/durable-calls.js';
import type { DurableRuns } from '../durable/durable-runs.js';
import {
  checkOperation,
  type AttachOptions,
  type ForkOptions,
  type RunFilter,
  type RunOwner,
} from '../durable/operation-options.js';
import { startedRun, type Followed } from './callbacks.js';
import type { Erased, RunSummary, RunMetrics } from '../durable/run-operations.js';
import { readConfig, type AgentSetup } from './read-config.js';
import { BaseAgent, type OfOutput } from './base-agent.js';
import { rejectMethods } from './unsupported-methods.js';
import { hasGuards, registerGuards, workflowsOf, findingsOfAgent } from './registration.js';
import { createSuspendedRuns, listRuns, toListed } from './suspended-runs.js';
import { asSubAgents } from '../tools/delegation.js';
import { quietTools } from '../tools/tool-logger.js';
import type { VerifyOptions } from '../workflow/verify.js';
import { markStoredVersion } from './read-call.js';
import { noteListed } from '../tools/tools.js';

type Asked = { requestContext?: RequestContext };

/** Reads the private parts of an agent; set by the class's static block. */
export let insidesOfAgent: (agent: object) => CalledAgent;

/**
 * Mastra's agent with Interlock's loop: same constructor, tools, models, memory and registration, with the guarantees of the
 * statechart. `generate` and `stream` run the loop; methods of other loops raise `agent/unsupported-method`; the rest is
 * Mastra's. A supervisor gets `agent/refused` for a stopped answer. Construction raises `agent/…`, `pipeline/…`, `install/…`.
 * @example
 * const agent = new InterlockAgent({ name: 'support', model: 'openai/gpt-5', inputProcessors: moderation });
 * const { status, text } = await agent.generate('Where is my order?');
 */
export class InterlockAgent<
  TAgentId extends string = string,
  TTools extends ToolsInput = ToolsInput,
  TOutput = undefined,
  TRequestContext = unknown,
> extends BaseAgent<TAgentId, TTools, TOutput> {
  static {
    insidesOfAgent = (agent) => (agent as InterlockAgent).#called;
    rejectMethods(this.prototype, (agent) => hasGuards((agent as InterlockAgent).#setup.guards));
  }

  #setup: AgentSetup;
  #agent = this as unknown as Stock; // Mastra's agent without its type parameters, as Mastra's functions accept it
  #suspended = createSuspendedRuns();
  #durable: DurableRuns | undefined;

  constructor(config: InterlockAgentConfig<TAgentId, TTools, TOutput, TRequestContext>) {
    const setup = readConfig(config, (other) => new InterlockAgent(other as never));
    super(setup.mastraConfig as never); // the same configuration, with guards and hooks in the forms that Mastra accepts
    this.#setup = setup;
    registerGuards(this.getMastraInstance(), this.id, setup);
    if (hasGuards(setup.guards)) quietTools(this);
    this.#durable = durableRunsOf(this.#agent, setup);
  }

  /**
   * Runs the loop to its end. Rejects if the run fails, with its code and cause; any other end is a result, see
   * `throwOnTripwire`.
   */
  override generate<OUTPUT>(
    messages: MessageListInput,
    options: InterlockObjectOptions<OUTPUT>,
  ): Promise<InterlockResult<OUTPUT>>;
  override generate(call: InterlockPromptCall): Promise<InterlockResult>;
  override generate(messages: MessageListInput, options?: InterlockCallOptions): Promise<InterlockResult>;
  override generate(messages: MessageListInput, options: MastraTextOptions): Promise<FullOutput<TOutput>>;
  override generate<OUTPUT = TOutput>(messages: MessageListInput): Promise<FullOutput<OUTPUT>>;
  override generate<OUTPUT>(messages: MessageListInput, options?: MastraCallOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override async generate(messages: unknown, options?: unknown): Promise<unknown> {
    return answerTo(this.#called, await startCall(this.#called, { mode: 'generate', messages, options }));
  }

  /** Starts the loop and returns its stream. Rejects for errors before the first model call. */
  override stream<OUTPUT>(messages: MessageListInput, options: InterlockObjectOptions<OUTPUT>): Promise<InterlockStream<OUTPUT>>;
  override stream(call: InterlockPromptCall): Promise<InterlockStream>;
  override stream(messages: MessageListInput, options?: InterlockCallOptions): Promise<InterlockStream>;
  override stream(messages: MessageListInput, options: MastraTextOptions): Promise<MastraModelOutput<TOutput>>;
  override stream<OUTPUT>(messages: MessageListInput, options?: MastraCallOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override async stream(messages: unknown, options?: unknown): Promise<unknown> {
    return streamTo(this.#called, await startCall(this.#called, { mode: 'stream', messages, options }));
  }

  /**
   * Resumes a suspended run of this process, with everything that it started with, until it ends or suspends again. Raises
   * `agent/no-suspended-run`, and `agent/invalid-option` if `resumeData` does not answer the waiting call.
   */
  override resumeGenerate(resumeData: unknown, options: InterlockResumeOptions): Promise<InterlockResult>;
  override resumeGenerate<OUTPUT>(resumeData: unknown, options: MastraResumeOptions<OUTPUT>): Promise<FullOutput<OUTPUT>>;
  override async resumeGenerate(resumeData: unknown, options: object): Promise<unknown> {
    return answerTo(this.#called, await resumeCall(this.#called, { mode: 'generate', resumeData, given: options }));
  }

  /** {@link resumeGenerate} as a stream, from the resumption on. */
  override resumeStream(resumeData: unknown, options: InterlockResumeOptions): Promise<InterlockStream>;
  override resumeStream<OUTPUT>(resumeData: unknown, options: MastraResumeOptions<OUTPUT>): Promise<MastraModelOutput<OUTPUT>>;
  override async resumeStream(resumeData: unknown, options: object): Promise<unknown> {
    return streamTo(this.#called, await resumeCall(this.#called, { mode: 'stream', resumeData, given: options }));
  }

  /** Approves a call. Its tool runs once every call of the step that needs approval is decided. */
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
   * Follows a durable run from any process, until it ends or suspends. `from` is the `metadata.sequence` of the first chunk.
   * Raises `durable/no-engine` and `durable/no-run`; so do `resume` and `cancel`.
   */
  async attach(runId: string, options: AttachOptions = {}): Promise<InterlockStream> {
    return this.#follow(await forOperation(this.#durable, 'attach', options).attach(runId, options));
  }

  /** {@link resumeStream} for a durable run, by its id, from any process. */
  override resume(runId: string, resumeData: unknown, options?: Omit<InterlockResumeOptions, 'runId'>): Promise<InterlockStream>;
  override resume(...args: Parameters<OfOutput<TOutput>['resume']>): ReturnType<OfOutput<TOutput>['resume']>;
  override async resume(runId: string, resumeData: unknown, options?: object): Promise<unknown> {
    needEngine(this.#durable, 'resume');
    const stream = await this.resumeStream(resumeData, { ...options, runId });
    return Object.assign(stream, { output: stream, cleanup: () => undefined, abort: () => this.cancel(runId) });
  }

  /** Reports the outcome of a call whose outcome was unknown (`tool/unknown-outcome`); the run continues with it. */
  resolveToolCall(runId: string, { toolCallId, ...found }: FoundOutcome & { toolCallId?: string }): Promise<InterlockStream> {
    return this.resume(runId, found, { toolCallId });
  }

  /** Ends a durable run as `canceled`, in whichever process it is running or suspended. No effect on a run that has ended. */
  async cancel(runId: string, owner?: RunOwner): Promise<void> {
    await forOperation(this.#durable, 'cancel', owner).cancel(runId, owner);
  }

  /** Continues a lost run from its journal. Raises `durable/wrong-state` for other runs. On Restate it needs `adminUrl`. */
  async retry(runId: string, owner?: RunOwner): Promise<void> {
    await forOperation(this.#durable, 'retry', owner).retry(runId, owner);
  }

  /**
   * Gives up a run that is queued, running or waiting for its code, without running any of it. The run is listed as `lost`; its
   * journal remains for `retry` and `fork`. Raises `durable/wrong-state` for a run that has ended or waits for a person. On
   * Restate it needs `adminUrl`.
   */
  async abandon(runId: string, owner?: RunOwner): Promise<void> {
    await forOperation(this.#durable, 'abandon', owner).abandon(runId, owner);
  }

  /**
   * Starts and streams a new run that continues from a step of another run, in any status. Earlier steps are not repeated. Later
   * tools run with their own keys. Raises `durable/no-run` and `durable/no-step`. On Restate it needs `adminUrl`.
   */
  async fork(runId: string, options: ForkOptions = {}): Promise<InterlockStream> {
    return this.#follow(await forOperation(this.#durable, 'fork', options).fork(runId, options));
  }

  async #follow({ run, ended }: Followed): Promise<InterlockStream> {
    const started = startedRun(run, {}, () => ended);
    return (await streamTo(this.#called, started)) as InterlockStream; // see stream
  }

  /** Metrics of the agent's durable runs. */
  runMetrics(): Promise<RunMetrics> {
    return needEngine(this.#durable, 'runMetrics').metrics();
  }

  /** Cancels the runs of a resource, and deletes all their data in the engine. Memory and traces are not touched. */
  async erase(options: { resourceId: string }): Promise<Erased> {
    return forOperation(this.#durable, 'erase', options).erase(options.resourceId);
  }

  /** Deletes the stored data of runs that ended before a time, except waiting runs. Returns their number. */
  async prune(options: { olderThan: Date }): Promise<number> {
    return forOperation(this.#durable, 'prune', options).prune(options.olderThan);
  }

  /** The suspended runs of this agent, most recent first: those in this process and its durable ones. */
  override async listSuspendedRuns(options: host.AgentListSuspendedRunsOptions = {}): Promise<host.AgentListSuspendedRunsResult> {
    checkOperation('listSuspendedRuns', options);
    const durable = (await this.#durable?.list({ status: 'suspended', limit: Infinity })) ?? [];
    return listRuns([...this.#suspended.list().map(toListed), ...durable.filter((run) => run.status === 'suspended')], options);
  }

  /** The durable runs of this agent, most recent first. An engine that cannot list its runs returns only the waiting ones. */
  async listRuns(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    checkOperation('listRuns', filter);
    return (await this.#durable?.list(filter)) ?? [];
  }

  /**
   * The findings of {@link verify} about the agent's guards, except those that a function returns for each request. Errors were
   * rejected at construction, so these are warnings, and findings of `latencyBudgetMs`.
   */
  findings(options: VerifyOptions = {}): readonly Finding[] {
    return findingsOfAgent(this.id, this.#setup, options);
  }

  /** The workflows that Mastra registers with this agent: its arrays, and each pipeline in them. */
  override async getConfiguredProcessorWorkflows(): Promise<ProcessorWorkflow[]> {
    return (await workflowsOf(this.id, this.#setup.guards, new RequestContext())) as ProcessorWorkflow[];
  }

  /** Mastra passes itself to the processors in an agent's arrays; this also covers those inside pipelines. */
  override __registerMastra(mastra: Mastra): void {
    super['__registerMastra'](mastra);
    if (#setup in this) registerGuards(mastra, this.id, this.#setup);
  }

  override listTools(options?: Asked & { resolveWebSearch?: boolean }): Promise<TTools> {
    return noteListed(this, super['listTools'](options));
  }

  /** The sub-agents for this agent's tools. Their calls raise `agent/refused` if a guard stopped them. */
  override async listAgents(options?: Asked): Promise<Record<string, SubAgent<string, TRequestContext>>> {
    return asSubAgents(await super['listAgents'](options));
  }

  /** A copy that the host may change, e.g. to run a stored version, with the same loop. */
  override __fork(): Stock<TAgentId, TTools, TOutput, TRequestContext> {
    const config = this.#setup.config as InterlockAgentConfig<TAgentId, TTools, TOutput, TRequestContext>;
    const unstored = { durability: undefined, runQueue: undefined, deadlineMs: undefined, rawConfig: this.toRawConfig() };
    const fork = new InterlockAgent({ ...config, ...unstored });
    const mastra = this.getMastraInstance();
    if (mastra && !config.mastra) fork['__registerMastra'](mastra);
    [fork.source, fork.#suspended, fork.#durable] = [this.source, this.#suspended, this.#durable];
    fork.#setup = { ...fork.#setup, ignored: this.#setup.ignored };
    return fork;
  }

  /** Mastra marks a copy to which it has applied a stored version. */
  override __markStoredVersionApplied(): void {
    super['__markStoredVersionApplied']();
    markStoredVersion(this);
  }

  get #called(): CalledAgent {
    const called: CalledAgent = {
      agent: this.#agent,
      setup: this.#setup,
      suspended: this.#suspended,
      runner: (options) => durableRunnerOf(called, this.#durable, options),
      as: insidesOfAgent, // a version is a copy from __fork
    };
    return called;
  }
}

/**
 * {@link InterlockAgent} under the name of Mastra's agent. As a type it is Mastra's, so that an application's annotations stay valid.
 * @alias
 */
export const Agent = InterlockAgent;
export type Agent<Id extends string = string, T extends ToolsInput = ToolsInput, O = undefined, C = unknown> = Stock<Id, T, O, C>;
