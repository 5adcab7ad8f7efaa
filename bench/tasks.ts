import { setTimeout as wait } from 'node:timers/promises';
import type { BenchCase, Effort } from './case.js';
import { cases, probes, unreadStreams, type ProbeName } from './cases.js';
import type { WaitName } from './gate/wait-names.js';
import type { Waited } from './gate/waits.js';
import { measureCase } from './measure.js';
import { benchModel, textAnswer } from './model.js';

const longAnswer = 2_000;
const patienceMs = 100;

/** How many parts a provider has been asked for when nobody has read the stream for a while. */
const pullsUnread = async (name: string): Promise<number> => {
  const model = benchModel(() => textAnswer(longAnswer), name === 'ai-sdk' ? 'v4' : 'v2');
  const unread = await unreadStreams[name as keyof typeof unreadStreams]();
  const held = await unread(model);
  await wait(patienceMs);
  return held ? model.pulled : 0; // held until here, so that the stream is unread and not gone
};

/** What a child process is asked to do. */
export type Task =
  | { readonly kind: 'case'; readonly name: string; readonly effort: Effort }
  | { readonly kind: 'probe'; readonly probe: ProbeName; readonly name: string }
  | { readonly kind: 'unread'; readonly name: string }
  | { readonly kind: 'wait'; readonly name: WaitName; readonly samples: number };

/** Waits once for nothing, so that everything is loaded, and then so often. */
const waitFor = async (name: WaitName, samples: number): Promise<Waited[]> => {
  const { waits } = await import('./gate/waits.js');
  const once = waits[name];
  await once();
  const waited: Waited[] = [];
  for (let sample = 0; sample < samples; sample += 1) waited.push(await once());
  return waited;
};

const caseOf = (name: string): BenchCase => {
  const found = cases.find((one) => one.name === name);
  if (!found) throw new Error(`There is no case "${name}".`);
  return found;
};

/** Does a task in this process. */
export const perform = async (task: Task): Promise<unknown> => {
  switch (task.kind) {
    case 'case':
      return measureCase(caseOf(task.name), task.effort);
    case 'probe': {
      const ask = (await probes[task.probe]()).probe;
      return ask(task.name);
    }
    case 'unread':
      return pullsUnread(task.name);
    case 'wait':
      return waitFor(task.name, task.samples);
    default:
      return task satisfies never;
  }
};
