import type { Figures } from '../figures.js';
import { number, tableOf } from '../table.js';
import { gateCase, gateLines, gateSizes, gateSubjects, plainCase } from './cases.js';
import { lowestMs, mostAsked, type Waits } from './goals.js';
import { waitNames } from './wait-names.js';

/** What a delta costs in the gate, in an agent, and in a stock agent, by window and number of guards. */
export const gateTable = ({ cpu }: Figures): string => {
  const largest = gateSizes.at(-1) ?? 0;
  const plain = gateSizes.map((size) => number(cpu(plainCase, size)));
  const empty = gateSubjects.slice(1).flatMap(() => gateSizes.map(() => ''));
  const rows = gateLines.map(({ window, guards }) => {
    const us = gateSubjects.map((subject) => gateSizes.map((size) => cpu(gateCase(subject, window, guards), size)));
    const [own, other] = [us[1]?.at(-1), us[2]?.at(-1)];
    return [`${window} ${guards}`, ...us.flat().map((one) => number(one)), own && other ? number(own / other) : ''];
  });
  const heads = gateSubjects.flatMap((subject) => gateSizes.map((size) => `${subject} ${size}`));
  return tableOf(['per delta, us', ...heads, `/ Mastra ${largest}`], [['plain loop 3', ...plain, ...empty, ''], ...rows]);
};

/** How long it takes, and how often guards are asked. */
export const waitTable = (waits: Waits): string =>
  tableOf(
    ['waiting, ms', 'lowest', 'asked at most'],
    waitNames.flatMap((name) => {
      const ms = lowestMs(waits, name);
      return ms === undefined ? [] : [[name, number(ms, 0), String(mostAsked(waits, name))]];
    }),
  );
