import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type * as mastra from '@mastra/core/processors';
import type { ChunkType } from '@mastra/core/stream';
import { expectTypeOf, it } from 'vitest';

import type { Plain } from '../../scripts/mastra.js';

/** The arguments of each hook. */
type Args<Guard> = { [Hook in keyof Guard]: Required<Guard>[Hook] extends (args: infer A) => unknown ? A : never };

type Own = Required<Plain.Processor<string, unknown>>;
type Mastra = Required<mastra.Processor>;

type HookName = Extract<keyof Mastra, `process${string}`>;

it('has the hooks of Mastra', () => {
  expectTypeOf<Extract<keyof Own, `process${string}`>>().toEqualTypeOf<HookName>();
});

it('has arguments that Mastra passes, with the same types', () => {
  expectTypeOf<Args<Mastra>['processInput']>().toExtend<Args<Own>['processInput']>();
  expectTypeOf<Args<Mastra>['processInputStep']>().toExtend<Args<Own>['processInputStep']>();
  expectTypeOf<Args<Mastra>['processLLMRequest']>().toExtend<Args<Own>['processLLMRequest']>();
  expectTypeOf<Args<Mastra>['processLLMResponse']>().toExtend<Args<Own>['processLLMResponse']>();
  expectTypeOf<Args<Mastra>['processAPIError']>().toExtend<Args<Own>['processAPIError']>();
  expectTypeOf<Args<Mastra>['processOutputStream']>().toExtend<Args<Own>['processOutputStream']>();
  expectTypeOf<Args<Mastra>['processOutputStep']>().toExtend<Args<Own>['processOutputStep']>();
  expectTypeOf<Args<Mastra>['processToolResult']>().toExtend<Args<Own>['processToolResult']>();
  expectTypeOf<Args<Mastra>['processOutputResult']>().toExtend<Args<Own>['processOutputResult']>();
});

it('has messages, lists and chunks with fields of Mastra', () => {
  expectTypeOf<MastraDBMessage>().toExtend<Plain.Message>();
  expectTypeOf<MessageList>().toExtend<Plain.MessageList>();
  expectTypeOf<ChunkType>().toExtend<Plain.Chunk>();
});
