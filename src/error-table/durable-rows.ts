import type { ErrorRow } from './error-row.js';

/** What is raised of runs that an engine keeps. */
export const durableRows = {
  'durable/unkept-value': {
    actor: 'author',
    say: 'A durable run keeps data alone, no functions and no instances of classes; keep such a value outside the run, under a name.',
    status: 400,
  },
  'durable/effect-not-promised': {
    actor: 'author',
    say: "No engine here can promise that a tool's effect is had once; give the agent one that can, such as openWorkflow(), or declare the tool idempotent.",
  },
  'durable/invalid-key': {
    actor: 'author',
    say: 'A key has 32 bytes, given as such or in base64; make one with openssl rand -base64 32.',
  },
  'durable/unreadable': {
    actor: 'operator',
    say: 'What is kept here cannot be read with the keys of this engine; give it the key with which it was written, as key or among previousKeys.',
  },
  'durable/no-engine': {
    actor: 'author',
    say: 'The agent keeps no runs; give it an engine with durability.',
  },
  'durable/invalid-option': {
    actor: 'author',
    say: 'An option of the engine has a value that cannot be used; correct the named option.',
  },
  'durable/unreachable': {
    actor: 'operator',
    say: "The engine's server or database does not answer; see the cause, and that it runs where the options say. Runs that it keeps go on once it does.",
    status: 503,
  },
  'durable/no-run': { actor: 'caller', say: 'The engine knows no run of this agent under this id.', status: 404 },
  'durable/unsupported-operation': {
    actor: 'author',
    say: 'The engine does not offer this operation; see the guide for what its own tools offer instead.',
  },
  'durable/other-input': {
    actor: 'caller',
    say: 'A run with this id was begun with other messages; give the call an id of its own.',
    status: 409,
  },
  'durable/lost-run': {
    actor: 'operator',
    say: 'The engine gave the run up; see the reason, and what its journal holds.',
  },
  'durable/changed-code': {
    actor: 'operator',
    say: 'The run was begun by another version of its statechart or guards; run that version, or say with acceptChangedCode that the two agree.',
  },
  'durable/unknown-format': {
    actor: 'operator',
    say: 'The journal of the run has a format that this version of the library does not read; finish the run with the version that began it.',
  },
} as const satisfies Record<`${string}/${string}`, ErrorRow>;
