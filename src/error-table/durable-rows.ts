import { errorRows } from './error-row.js';

/** Errors of durable runs and their engines. */
export const durableRows = errorRows({
  'durable/unkept-value': {
    actor: 'author',
    say: 'A durable run stores plain data only, no functions or class instances; store such a value outside the run and refer to it by name.',
    status: 400,
  },
  'durable/once-not-supported': {
    actor: 'author',
    say: 'The agent has no engine that can guarantee that a tool takes effect once; use one, such as openWorkflow(), or declare the tool idempotent.',
  },
  'durable/invalid-key': {
    actor: 'author',
    say: 'A key must have 32 bytes, as bytes or in base64; create one with openssl rand -base64 32.',
  },
  'durable/unreadable': {
    actor: 'operator',
    say: 'The stored data cannot be decrypted with the keys of this engine; add the key that encrypted it, as key or in previousKeys.',
  },
  'durable/no-engine': {
    actor: 'author',
    say: 'The agent has no engine for durable runs; set the option durability.',
  },
  'durable/invalid-option': {
    actor: 'author',
    say: 'An option of the engine has an invalid value; correct the option at the path.',
  },
  'durable/unreachable': {
    actor: 'operator',
    say: "The engine's server or database does not respond; see the cause and check the address. Stored runs continue once it responds.",
    status: 503,
  },
  'durable/engine-failed': {
    actor: 'operator',
    say: "The engine's server, database or driver raised an error; see the cause, and check that its version and its tables match this engine.",
    status: 503,
  },
  'durable/damaged': {
    actor: 'operator',
    say: "The engine's stored data is damaged, or was not written by this library; restore it from a backup, or delete it. Other runs are not affected.",
  },
  'durable/no-run': { actor: 'caller', say: 'The engine has no run of this agent with this id; check the id.', status: 404 },
  'durable/no-step': {
    actor: 'caller',
    say: 'The run has no such step; pass a step that the run has reached, starting from 0.',
    status: 404,
  },
  'durable/unsupported-operation': {
    actor: 'author',
    say: "The engine does not support this operation; see the guide for the engine's own tools.",
  },
  'durable/other-input': {
    actor: 'caller',
    say: 'A run with this id already exists, with other messages or for another resource; use a new id for this call.',
    status: 409,
  },
  'durable/wrong-state': {
    actor: 'caller',
    say: 'The operation needs a run in another state; see the status of the run in listRuns().',
    status: 409,
  },
  'durable/lost-run': {
    actor: 'operator',
    say: 'The engine stopped retrying the run; see the reason, then continue it with retry(runId).',
  },
  'durable/changed-code': {
    actor: 'operator',
    say: 'Another version of the statechart or the guards started the run; run that version, or accept this one with acceptChangedCode.',
  },
  'durable/unknown-format': {
    actor: 'operator',
    say: 'Another version of the library stored this run, in a format that this version cannot read; finish the run with that version, or discard it with abandon(runId).',
  },
});
