import type { KeptTurn, Persistence } from '../../loop/persistence.js';
import {
  aFunction,
  aName,
  anObject,
  aText,
  either,
  fieldsOf,
  instanceWith,
  kind,
  listOf,
  needed,
  oneOf,
  orGiven,
  recordOf,
  wholeNumberFrom,
  type OptionKind,
} from '../../option-kind.js';

const systemMessage = either(
  aText,
  kind('a system message', (value) => isObject(value) && value.role === 'system'),
);
/** Words for the system message: of a call, or of an agent, where a function may give them. */
export const instructions = either(systemMessage, listOf(systemMessage));

const message = either(
  aText,
  kind('a message', (value) => isObject(value) && ('content' in value || 'parts' in value)),
);
/** Messages in any form that Mastra reads. */
export const messages = either(message, listOf(message));

/** Guards of one lane; what is in a list is looked at where it is compiled, and refused as `pipeline/invalid-step`. */
export const guards = kind(
  'a processor, a pipeline, a workflow, a list of them or a function',
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
);

const modelOrId = either(aName, anObject);
/** A model, its id, or models to fall back to in their order. */
export const model = orGiven(
  either(
    modelOrId,
    kind(
      'a list of { model }, tried in their order',
      (value) => isFilled(value) && value.every((entry) => isObject(entry) && isGiven(entry.model)),
    ),
  ),
);

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Tools by their names. */
export const tools = recordOf(either(anObject, aFunction));

export const toolChoice = either(
  oneOf('auto', 'none', 'required'),
  kind('{ type: "tool", toolName }', (value) => isObject(value) && value.type === 'tool' && typeof value.toolName === 'string'),
);

export const callbacks = recordOf(aFunction);
export const functions = either(aFunction, listOf(aFunction));

export const hold = oneOf('none', 'step', 'run');
export const onReaderCancel = oneOf('stop', 'finish');

const keptTurn = oneOf(...(['drop', 'user-only', 'placeholder'] satisfies KeptTurn[]));
export const persistence = fieldsOf({
  tripwire: keptTurn,
  failed: keptTurn,
  canceled: keptTurn,
  suspended: oneOf('keep', 'drop'),
} satisfies Record<keyof Persistence, OptionKind>);

const atOnce = wholeNumberFrom(1);
export const concurrency = either(atOnce, fieldsOf({ limit: atOnce, strategy: oneOf('available', 'called') }));

export const runQueue = fieldsOf({ concurrency: atOnce, rateLimit: fieldsOf({ runs: needed(atOnce), perMs: needed(atOnce) }) });

export const requestContext = instanceWith('get', 'a RequestContext');
export const abortSignal = instanceWith('addEventListener', 'an AbortSignal');
export const memory = instanceWith('recall', 'a memory of Mastra');
export const engine = instanceWith('host', 'an engine of durable runs');
export const mastra = instanceWith('getLogger', 'a Mastra instance');
export const voice = instanceWith('addTools', 'a voice of Mastra');
/** Sub-agents and workflows by their names. */
export const agents = recordOf(instanceWith('getDescription', 'an agent'));
export const workflows = recordOf(instanceWith('createRun', 'a workflow'));
export const schema = kind('a schema', (value) => typeof value === 'function' || isObject(value));
