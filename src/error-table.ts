import type { ErrorRow } from './error-table/error-row.js';
import { durableRows } from './error-table/durable-rows.js';
import { workbenchRows } from './error-table/workbench-rows.js';

/**
 * Everything that Interlock raises as an error or reports as a finding, by code. Codes are public API: they stay, sentences may
 * improve.
 */
export const errorTable = {
  'schema/invalid-payload': { actor: 'author', say: 'The payload does not fit its phase; correct the named field.' },
  'phase/unknown': { actor: 'author', say: 'There is no such phase; use one of the phases of the table.' },
  'phase/foreign-message-list': {
    actor: 'author',
    say: 'A hook returned a MessageList that is not the one it was given; change and return that one, or return messages.',
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
    say: 'A hook returned something that its phase cannot use; return one of the forms in the reference.',
  },
  'phase/missing-messages': {
    actor: 'author',
    say: 'The phase needs messages or a messageList; put one of them into the payload.',
  },
  'phase/invalid-data-part': {
    actor: 'author',
    say: 'writer.custom() takes chunks whose type starts with "data-"; rename the chunk.',
  },
  'guard/unavailable': {
    actor: 'operator',
    say: 'A guard failed, so the run failed closed; see the cause, repair the guard or give it a failure policy.',
  },
  'guard/deadline': {
    actor: 'operator',
    say: 'A guard did not answer before its deadline; speed it up, raise its deadlineMs or give it a failure policy.',
  },
  'guard/breaker-open': {
    actor: 'operator',
    say: 'A guard failed again and again and is not asked for a while; repair it or give it a failure policy.',
  },
  'guard/busy': {
    actor: 'operator',
    say: 'More calls of a guard wait than its queue holds; raise its concurrency or its queue, or give it a failure policy.',
  },
  'guard/unknown-option': { actor: 'author', say: 'A guard policy has no such option; see the list of options in the docs.' },
  'guard/invalid-option': {
    actor: 'author',
    say: 'An option of a guard policy has a value that cannot be used; see the message.',
  },
  'guard/overlap-edits': {
    actor: 'author',
    say: 'A guard that edits cannot judge beside the model, which has its input by then; remove overlap, or let the guard only judge.',
  },
  'guard/overlap-nowhere': {
    actor: 'author',
    say: 'A guard is to judge beside the model, but none of its hooks comes before a model call where it stands; remove overlap, or put it among the input guards.',
  },
  'guard/overlap-before-edit': {
    actor: 'author',
    say: 'What a guard judges beside the model is edited after it, so that the model is sent something else; put it after the guards that edit.',
  },
  'guard/unbounded-pattern': {
    actor: 'author',
    say: "A pattern needs to say how long a match can be; give it a maxLength of 1 or more, or 'part' to hold each part whole.",
  },
  'guard/judges-each-chunk': {
    actor: 'author',
    say: "This guard judges every chunk of a stream by itself, and chunks are cut anywhere; give it a window, such as 'sentence'.",
  },
  'guard/passes-on-failure': {
    actor: 'author',
    say: "This guard passes what it could not judge, and nobody is told; let its failure be seen, for Mastra's with errorStrategy: 'strict'.",
  },
  'guard/retry-without-budget': {
    actor: 'author',
    say: 'This guard may ask for a retry, and none is granted, so that it blocks instead; set maxProcessorRetries.',
  },
  'guard/late-verdict': {
    actor: 'author',
    say: 'This guard blocks words that have left by then; judge the stream as well, or set hold to keep the words back.',
  },
  'guard/late-edit': {
    actor: 'author',
    say: 'This guard edits words that have left by then, so that they are retracted and sent again; edit the stream as well, or set hold.',
  },
  'pipeline/missing-id': { actor: 'author', say: 'A pipeline and every processor in it need a non-empty id.' },
  'pipeline/duplicate-id': { actor: 'author', say: 'Two processors in one pipeline share an id; rename one.' },
  'pipeline/no-hook': {
    actor: 'author',
    say: 'A processor implements none of the hooks; implement one, or remove the processor.',
  },
  'pipeline/wrong-lane': {
    actor: 'author',
    say: 'A processor or pipeline stands in a lane where none of its hooks ever runs; move it to the other array.',
  },
  'pipeline/idle-guard': {
    actor: 'author',
    say: 'This guard runs in none of the lanes where its pipeline stands; put the pipeline into the other array as well, or take the guard out.',
  },
  'pipeline/unreachable-arm': {
    actor: 'author',
    say: 'This arm never runs: its condition is never true, or it is `otherwise` beside an arm that always matches. Change the condition or take the arm out.',
  },
  'pipeline/arm-after-otherwise': {
    actor: 'author',
    say: 'This arm follows one that always matches, yet it runs where its own condition holds. Put the arm for everything else last.',
  },
  'pipeline/parallel-writers': {
    actor: 'author',
    say: "Two guards side by side may edit the same words, and the rule 'error' then fails the run; put one after the other, or choose a rule that merges.",
  },
  'pipeline/unjudged-chunk': {
    actor: 'author',
    say: 'A chunk of the stream can leave without a verdict that counts; put a guard of the stream where every chunk passes it.',
  },
  'pipeline/over-budget': {
    actor: 'author',
    say: 'Guards may keep a run waiting for longer than the budget; shorten deadlines, or put guards side by side.',
  },
  'pipeline/empty': { actor: 'author', say: 'A pipeline was committed with no step in it; add one with .then().' },
  'pipeline/invalid-step': {
    actor: 'author',
    say: 'This is not a processor, step, pipeline, workflow or function; pass one of these.',
  },
  'pipeline/invalid-option': {
    actor: 'author',
    say: 'A pipeline or a block has no such option, or not with this value; see the path and what it takes.',
  },
  'pipeline/unsupported-step': {
    actor: 'author',
    say: 'A pipeline of guards cannot do what this part of a workflow asks for; use then, parallel, branch, map, nested workflows and `retries` of steps.',
  },
  'pipeline/invalid-payload': {
    actor: 'author',
    say: 'A function in the pipeline returned something that is not the phase payload; return the payload or nothing.',
  },
  'pipeline/condition-failed': {
    actor: 'author',
    say: 'A branch condition threw, so no arm was chosen and the run failed closed; see the cause.',
  },
  'pipeline/conflict': {
    actor: 'author',
    say: 'Two branches edited one thing under the rule "error"; give the block another overlap rule, or run them one after the other.',
  },
  'release/hold-exceeded': {
    actor: 'author',
    say: 'Guards of the stream hold more than the run allows; give them smaller windows, or raise maxHeldChars.',
  },
  'release/invalid-arguments': {
    actor: 'author',
    say: "A guard made something of a tool call's arguments that is no JSON; edit the call itself instead.",
  },
  'agent/unknown-option': { actor: 'author', status: 400, say: 'There is no such option; see the list of options in the docs.' },
  'agent/unsupported-option': {
    actor: 'author',
    status: 400,
    say: 'The loop does not honour this option of Mastra yet; remove it, or use a stock Agent for this call.',
  },
  'agent/served-option': {
    actor: 'caller',
    status: 400,
    say: 'A request over HTTP cannot say this: it would change which guards judge, or what they withhold; set it on the agent.',
  },
  'agent/loosened-option': {
    actor: 'caller',
    status: 400,
    say: 'A call may ask for more than its agent does, not for less: data may have come with a request. Say it as a function, or on the agent.',
  },
  'agent/invalid-option': {
    actor: 'author',
    status: 400,
    say: 'The option has a value that cannot be used; see the message.',
  },
  'agent/unsupported-method': {
    actor: 'author',
    status: 405,
    say: "This method of Mastra's agent runs a loop without the promises; use generate or stream, or a stock Agent.",
  },
  'agent/no-suspended-run': {
    actor: 'caller',
    status: 404,
    say: 'No run of this agent rests under this id in this process: it was resumed already, has ended, or was begun elsewhere.',
  },
  'agent/tripwire': {
    actor: 'caller',
    status: 422,
    say: 'A guard stopped the run, and throwOnTripwire is set; the cause is the tripwire: its reason, metadata and processorId.',
  },
  'agent/refused': {
    actor: 'caller',
    say: 'A guard of the sub-agent stopped it, so that there is no answer; go on without it, or ask for something else.',
  },
  'agent/model-unresolved': {
    actor: 'author',
    say: 'The model could not be resolved; check its id, its config and its key.',
  },
  'agent/no-input': { actor: 'caller', status: 400, say: 'There is no message to send; pass a prompt or messages.' },
  'agent/invalid-messages': {
    actor: 'caller',
    status: 400,
    say: 'What the call says is no conversation; see the message, and the cause.',
  },
  'output/invalid-object': {
    actor: 'provider',
    say: 'The answer does not fit the schema of structuredOutput; grant retries with maxProcessorRetries, or choose another errorStrategy.',
  },
  'model/call-failed': {
    actor: 'provider',
    say: 'The model call failed and no error processor asked for another try; see the cause.',
  },
  'model/malformed-stream': {
    actor: 'provider',
    say: 'The model stream ended without a finish part or could not be read; see the cause.',
  },
  'tool/unknown': { actor: 'provider', say: 'The model called a tool that this step does not offer.' },
  'tool/unknown-outcome': {
    actor: 'operator',
    say: 'A process died in the middle of a tool whose effect is to be had once; ask its receiver, by the idempotency key, whether it was, and say so with resolveToolCall.',
  },
  'ai-sdk/unhonoured-hook': {
    actor: 'author',
    say: 'None of the adapters of this run would ever call this hook; add the adapter that does, use guardedToolLoop, or take the hook out.',
  },
  'ai-sdk/invalid-option': { actor: 'author', say: 'An option of an adapter has a value that cannot be used; see the message.' },
  'ai-sdk/unsupported-field': {
    actor: 'author',
    say: 'The AI SDK has no way to change this for one step; remove the field from what the hook returns.',
  },
  'ai-sdk/needs-mastra': {
    actor: 'author',
    say: "Only Mastra's MessageList has this; install @mastra/core, and do not declare the guard that asks for it portable.",
  },
  'ai-sdk/frozen-snapshot': {
    actor: 'author',
    say: 'A hook changed what it was given to read; return a new object instead.',
  },
  'ai-sdk/late-edit': {
    actor: 'author',
    say: "A guard changed words that had left; withhold them with hold: 'step' until all guards have judged.",
  },
  ...workbenchRows,
  ...durableRows,
  'install/unsupported-version': {
    actor: 'author',
    say: 'An installed package has a version that this part of Interlock does not work with; install one of the range.',
  },
  'run/failed': { actor: 'operator', say: 'The run failed; see the cause.' },
  'run/canceled': { actor: 'caller', say: 'The run was canceled by its abort signal.' },
} as const satisfies Record<`${string}/${string}`, ErrorRow>;
