import type { Work } from '../case.js';
import { benchModel, stepAnswers, type Part } from '../model.js';
import { echo, history } from './shared.js';

interface Callable {
  doGenerate(options: { prompt: readonly object[] }): Promise<{ content: readonly Part[]; finishReason: unknown }>;
}

/** A tool loop by hand: the model is called, so many functions are awaited before and after, the tool runs. */
export const plainSteps =
  (guards: number) =>
  (steps: number, messages = 1): Work => {
    const model = benchModel(stepAnswers(steps)).forMastra as unknown as Callable; // a model instance
    const judges = Array.from({ length: guards }, () => async (conversation: readonly object[]) => conversation);
    const conversation = history(messages);
    return async () => {
      let prompt: readonly object[] = conversation;
      for (let step = 1; ; step += 1) {
        for (const judge of judges) prompt = await judge(prompt);
        const { content } = await model.doGenerate({ prompt });
        prompt = [...prompt, { role: 'assistant', content }];
        for (const judge of judges) prompt = await judge(prompt);
        const call = content.find(({ type }) => type === 'tool-call');
        if (!call) return step;
        const output = await echo.execute(echo.inputSchema.parse(JSON.parse(String(call['input']))));
        prompt = [...prompt, { role: 'tool', content: [{ type: 'tool-result', toolCallId: call['toolCallId'], output }] }];
      }
    };
  };
