import * as mastra from '@mastra/core/processors';
import { expect, it } from 'vitest';
import * as schemas from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(schemas).toSorted()).toMatchInlineSnapshot(`
    [
      "DataPartSchema",
      "ErrorPartSchema",
      "FilePartSchema",
      "ImagePartSchema",
      "MessageContentSchema",
      "MessagePartSchema",
      "ProcessorAPIErrorPhaseSchema",
      "ProcessorInputPhaseSchema",
      "ProcessorInputStepPhaseSchema",
      "ProcessorLLMRequestPhaseSchema",
      "ProcessorLLMResponsePhaseSchema",
      "ProcessorMessageContentSchema",
      "ProcessorMessageSchema",
      "ProcessorOutputResultPhaseSchema",
      "ProcessorOutputStepPhaseSchema",
      "ProcessorOutputStreamPhaseSchema",
      "ProcessorStepInputSchema",
      "ProcessorStepOutputSchema",
      "ProcessorStepSchema",
      "ProcessorToolResultPhaseSchema",
      "ReasoningPartSchema",
      "SourceDocumentPartSchema",
      "SourcePartSchema",
      "StepStartPartSchema",
      "TextPartSchema",
      "ToolInvocationPartSchema",
      "parsePayload",
      "phaseSchemas",
      "runEventSchema",
      "safeParsePayload",
      "traceEntrySchema",
    ]
  `);
});

it('exports every step schema of Mastra under the same name', () => {
  const theirs = Object.keys(mastra).filter((name) => /^(Processor|Message|\w+Part).*Schema$/.test(name));
  expect(theirs.length).toBeGreaterThan(15);
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(theirs));
});
