/**
 * Names of attributes: those of OpenTelemetry's conventions for generative AI if defined there (in development, as of version
 * 1.42), otherwise our own. For guards the conventions have only a proposal.
 */
export const attribute = {
  operation: 'gen_ai.operation.name',
  agent: 'gen_ai.agent.name',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  tokenType: 'gen_ai.token.type',
  tool: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  runId: 'interlock.run.id',
  runStatus: 'interlock.run.status',
  retries: 'interlock.run.retries',
  step: 'interlock.step.number',
  attempt: 'interlock.step.attempt',
  stepReason: 'interlock.step.reason',
  fromCache: 'interlock.model.from_cache',
  isWasted: 'interlock.model.wasted',
  toolOutcome: 'interlock.tool.outcome',
  guard: 'interlock.guard.id',
  guardPath: 'interlock.guard.path',
  phase: 'interlock.guard.phase',
  verdict: 'interlock.guard.verdict',
  isShadow: 'interlock.guard.shadow',
  calls: 'interlock.guard.calls',
  edits: 'interlock.guard.edits',
  bypassReason: 'interlock.guard.bypass.reason',
} as const;

/** Values of `gen_ai.operation.name`. */
export const operation = { agent: 'invoke_agent', model: 'chat', tool: 'execute_tool' } as const;
