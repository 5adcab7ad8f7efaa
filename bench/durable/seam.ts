import { noJournal } from '../../src/loop/create-run.js';

const count = 1_000_000;

const timeOf = async (act: () => Promise<number>): Promise<number> => {
  const startedAt = performance.now();
  for (let index = 0; index < count; index += 1) await act();
  return performance.now() - startedAt;
};

/** The additional microseconds of a step in process for passing the seam of engines. */
export const seamUs = async (): Promise<number> => {
  const body = async (): Promise<number> => 1;
  const through = () => noJournal.checkpoint(undefined as never, '', body); // it reads no run
  await timeOf(body);
  await timeOf(through);
  const plain = await timeOf(body);
  return (((await timeOf(through)) - plain) / count) * 1_000;
};
