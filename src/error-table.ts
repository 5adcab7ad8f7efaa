import { errorRows } from './error-table/error-row.js';
import { durableRows } from './error-table/durable-rows.js';
import { workbenchRows } from './error-table/workbench-rows.js';

/**
 * Everything that Interlock raises as an error or reports as a finding, by code. Codes are public API: they stay, sentences may
 * improve.
 */
export const errorTable = errorRows({
  'schema/invalid-payload': { actor: 'author', say: 'The payload does not match its phase; correct the named field.' },
  'phase/unknown': { actor: 'author', say: 'There is no such phase; correct its name.' },
  'phase/foreign-message-list': {
    actor: 'author',
    say: 'A hook returned another MessageList than it received; edit and return the received list, or return messages.',
  },
  'phase/messages-and-message-list': {
    actor: 'author',
    say: 'A hook returned both messages and messageList; return one of the two.',
  },
  'phase/unsupported-model': {
    actor: 'author',
    say: 'A hook returned a model of specification v1; return a v2, v3 or v4 model, a router id or a config.',
  },
  'phase/invalid-result': {
    actor: 'author',
    say: 'A hook returned a value that its phase cannot use; return one of the forms in the reference.',
  },
  'phase/missing-messages': {
    actor: 'author',
    say: 'The phase needs messages or a messageList; put one of them into the payload.',
  },
  'phase/invalid-data-part': {
    actor: 'author',
    say: 'writer.custom() accepts only chunks whose type starts with "data-"; rename the type.',
  },
  'guard/unavailable': {
    actor: 'operator',
    say: 'A guard failed, so the run failed closed; see the cause, then fix the guard or set its onUnavailable policy.',
  },
  'guard/deadline': {
    actor: 'operator',
    say: 'A guard exceeded its deadline; make it faster, raise its deadlineMs or set its onUnavailable policy.',
  },
  'guard/breaker-open': {
    actor: 'operator',
    say: 'A guard failed repeatedly, so its breaker is open and it is not called for a while; fix it or set its onUnavailable policy.',
  },
  'guard/busy': {
    actor: 'operator',
    say: 'More calls wait for a guard than its queue allows; raise its concurrency or its queue, or set its onUnavailable policy.',
  },
  'guard/unknown-option': {
    actor: 'author',
    say: 'A guard policy has no such option; docs/guide/policies.md lists the options.',
  },
  'guard/invalid-option': {
    actor: 'author',
    say: 'An option of a guard policy has an invalid value; set one that the message lists.',
  },
  'guard/overlap-edits': {
    actor: 'author',
    say: 'A guard that edits cannot overlap the model call, because the model already has its input; remove overlap, or make the guard judge only.',
  },
  'guard/overlap-nowhere': {
    actor: 'author',
    say: 'The guard has overlap, but none of its hooks runs before a model call in this array; remove overlap, or move it to the input guards.',
  },
  'guard/overlap-before-edit': {
    actor: 'author',
    say: 'A later guard edits the input of this overlapping guard, so the model gets text that the guard did not judge; move it after the guards that edit.',
  },
  'guard/unbounded-pattern': {
    actor: 'author',
    say: "A pattern needs a maximum match length; set maxLength to 1 or more, or to 'part' to buffer each part whole.",
  },
  'guard/judges-each-chunk': {
    actor: 'author',
    say: "This guard judges every chunk of a stream alone, but a chunk can end anywhere; give it a window that does not depend on chunks, such as 'sentence', the default.",
  },
  'guard/passes-on-failure': {
    actor: 'author',
    say: 'This guard passes content that it could not judge, without a report; let it throw.',
  },
  'guard/retry-without-budget': {
    actor: 'author',
    say: 'This guard may request a retry, but none is allowed, so it blocks instead; set maxProcessorRetries.',
  },
  'guard/late-verdict': {
    actor: 'author',
    say: 'This guard blocks text that was already emitted; judge the stream as well, or set hold to withhold the text.',
  },
  'guard/holds-answer': {
    actor: 'author',
    say: "Content is sent only after this guard's hook. To send it earlier, check it in processOutputStream and declare traits.checksStream, or pass reads: true to guard if it only reads; to keep it, set hold on the agent.",
  },
  'guard/reader-edits': {
    actor: 'author',
    say: 'A guard with reads: true returned an edit; return nothing, or remove reads.',
  },
  'guard/late-edit': {
    actor: 'author',
    say: 'This guard edits text that was already emitted, so the text is retracted and sent again; edit the stream as well, or set hold.',
  },
  'pipeline/missing-id': { actor: 'author', say: 'A pipeline or a processor in it has no id; give each of them a non-empty id.' },
  'pipeline/duplicate-id': {
    actor: 'author',
    say: 'Two processors in one pipeline share an id; rename one, with guard(processor, { id }) if its class sets the id.',
  },
  'pipeline/no-hook': {
    actor: 'author',
    say: 'A processor implements none of the hooks; implement one, or remove the processor.',
  },
  'pipeline/wrong-array': {
    actor: 'author',
    say: 'A processor or pipeline is in an array where none of its hooks ever runs; move it to the other array.',
  },
  'pipeline/idle-guard': {
    actor: 'author',
    say: 'This guard never runs in the arrays that contain its pipeline; add the pipeline to the other array as well, or remove the guard.',
  },
  'pipeline/unreachable-case': {
    actor: 'author',
    say: 'This case never runs: its condition is never true, or it is `otherwise` and another case always matches. Change the condition or remove the case.',
  },
  'pipeline/case-after-otherwise': {
    actor: 'author',
    say: 'This case comes after one that always matches, but still runs when its own condition is true. Put the case for everything else last.',
  },
  'pipeline/parallel-writers': {
    actor: 'author',
    say: "Two parallel guards may edit the same text, and the rule 'error' then fails the run; run one after the other, or choose a rule that merges.",
  },
  'pipeline/unjudged-chunk': {
    actor: 'author',
    say: 'A chunk of the stream can be emitted without an effective verdict; put a stream guard where every chunk passes through it.',
  },
  'pipeline/over-budget': {
    actor: 'author',
    say: 'Guards may delay a run longer than latencyBudgetMs allows; shorten deadlines, or run guards in parallel.',
  },
  'pipeline/empty': { actor: 'author', say: 'A pipeline was committed without a step; add one with .then().' },
  'pipeline/invalid-step': {
    actor: 'author',
    say: 'A pipeline cannot use this value; pass a processor, step, pipeline, workflow or function.',
  },
  'pipeline/invalid-option': {
    actor: 'author',
    say: 'A pipeline or a block has an unknown option or an invalid value; correct the option at the path.',
  },
  'pipeline/unsupported-step': {
    actor: 'author',
    say: 'A pipeline of guards does not support this part of a workflow; use then, parallel, branch, map, nested workflows and `retries` of steps.',
  },
  'pipeline/invalid-payload': {
    actor: 'author',
    say: 'A function in the pipeline returned a value that is not the phase payload; return the payload or nothing.',
  },
  'pipeline/condition-failed': {
    actor: 'author',
    say: 'A branch condition threw, so no case was chosen and the run failed closed; see the cause and correct the condition.',
  },
  'pipeline/conflict': {
    actor: 'author',
    say: 'Two branches made conflicting edits under the rule "error"; choose another overlap rule, or run them one after the other.',
  },
  'release/hold-exceeded': {
    actor: 'author',
    say: 'Stream guards buffer more text than the run allows; give them smaller windows, or raise maxHeldChars.',
  },
  'release/invalid-arguments': {
    actor: 'author',
    say: 'A guard turned the arguments of a tool call into invalid JSON; edit the call itself instead.',
  },
  'agent/unknown-option': {
    actor: 'author',
    status: 400,
    say: 'There is no such option here; docs/options.md lists all options.',
  },
  'agent/unsupported-option': {
    actor: 'author',
    status: 400,
    say: "This Mastra option is not supported; remove it, or use Mastra's own agent for this call.",
  },
  'agent/served-option': {
    actor: 'caller',
    status: 400,
    say: 'A request over HTTP cannot set this option, because it changes which guards run or what they withhold; set it on the agent.',
  },
  'agent/loosened-option': {
    actor: 'caller',
    status: 400,
    say: "A call cannot loosen its agent's guards with plain data, which may come from a request; pass a function, or change the agent.",
  },
  'agent/invalid-option': {
    actor: 'author',
    status: 400,
    say: 'The value of this option is invalid; docs/options.md lists the valid values.',
  },
  'agent/unsupported-method': {
    actor: 'author',
    status: 405,
    say: "This method of Mastra's agent does not run this agent's loop with its guards; use generate or stream, or Mastra's own agent.",
  },
  'agent/no-suspended-run': {
    actor: 'caller',
    status: 404,
    id: 'AGENT_RESUME_NO_SNAPSHOT_FOUND',
    say: 'This process has no suspended run or call with this id: it was resumed, has ended, or started elsewhere; see listSuspendedRuns.',
  },
  'agent/tripwire': {
    actor: 'caller',
    status: 422,
    say: 'A guard stopped the run, and throwOnTripwire is set; see the tripwire in the cause: its reason, metadata and processorId.',
  },
  'agent/refused': {
    actor: 'caller',
    say: 'A guard stopped the sub-agent, so there is no answer; continue without it, or ask for something else.',
  },
  'agent/model-unresolved': {
    actor: 'author',
    say: 'The model could not be resolved; check its id, its config and its key.',
  },
  'agent/no-input': { actor: 'caller', status: 400, say: 'The call has no message; pass a prompt or messages.' },
  'agent/invalid-messages': {
    actor: 'caller',
    status: 400,
    say: 'The messages of the call are not a valid conversation; see the cause.',
  },
  'output/invalid-object': {
    actor: 'provider',
    id: 'STRUCTURED_OUTPUT_SCHEMA_VALIDATION_FAILED',
    say: 'The answer does not match the schema of structuredOutput; allow retries with maxProcessorRetries, or choose another errorStrategy.',
  },
  'model/call-failed': {
    actor: 'provider',
    say: 'The model call failed and no error processor requested a retry; see the cause.',
  },
  'model/malformed-stream': {
    actor: 'provider',
    say: 'The model stream ended without a finish part or could not be read; see the cause.',
  },
  'tool/invalid-arguments': {
    actor: 'provider',
    say: 'The model called a tool with arguments that the tool cannot get; the tool did not run, and the model gets this error.',
  },
  'tool/unknown': { actor: 'provider', say: 'The model called a tool that this step does not offer.' },
  'tool/unknown-outcome': {
    actor: 'operator',
    say: "A process died while it ran a tool with effect 'once'; look up the idempotency key at the receiver, and report the outcome with resolveToolCall.",
  },
  'ai-sdk/hook-not-called': {
    actor: 'author',
    say: 'No adapter of this run calls this hook; add the adapter for it, use guardedToolLoop, list the phase in `uncalled`, or remove the hook.',
  },
  'ai-sdk/invalid-option': {
    actor: 'author',
    say: 'The value of this option is invalid; docs/options.md lists the valid values.',
  },
  'ai-sdk/unsupported-field': {
    actor: 'author',
    say: 'The AI SDK cannot change this field for one step; remove the field from the result of the hook.',
  },
  'ai-sdk/needs-mastra': {
    actor: 'author',
    say: "Only Mastra's MessageList has this member; install @mastra/core, and remove portable: true from the guard that uses it.",
  },
  'ai-sdk/frozen-snapshot': {
    actor: 'author',
    say: 'A hook changed a read-only argument; return a new object instead.',
  },
  'ai-sdk/late-edit': {
    actor: 'author',
    say: "A guard edited text that was already emitted; withhold it with hold: 'step', and edit each step in processOutputStep.",
  },
  ...workbenchRows,
  ...durableRows,
  'install/unsupported-version': {
    actor: 'author',
    say: 'An installed package has a version that this part of Interlock does not support; install a version in the range.',
  },
  'run/failed': { actor: 'operator', say: 'The run failed; see the cause.' },
  'run/canceled': { actor: 'caller', say: 'The run was canceled by its abort signal.' },
  'run/deadline': {
    actor: 'operator',
    say: 'The run did not end in time; raise its deadlineMs or totalMs, or find the step that took too long.',
  },
});
