import { brokenBounds } from '../../src/eval/index.js';
import type { DataSets } from './data-sets.js';
import { judgeForms } from './forms.js';
import { judgeInjection } from './injection.js';
import type { Judged } from './judged.js';
import type { Results } from './page.js';
import { judgePii } from './pii.js';
import { judgeSecrets } from './secrets.js';

/** Judges the built-in guards on the data sets. */
export const evaluateGuards = async (data: DataSets): Promise<Results> => ({
  pii: await judgePii(data.sentences),
  secrets: [
    judgeSecrets('documentation', data.packages.documentation),
    judgeSecrets('lock files of npm', data.packages.lockFiles),
  ],
  injection: await judgeInjection(data),
  forms: await judgeForms(),
});

/** The missed bounds, a line each. */
export const complaintsAbout = ({ pii, injection }: Results): string[] => [...pii, injection].flatMap(complaints);

const complaints = ({ name, measures, bounds }: Judged): string[] =>
  brokenBounds(measures, bounds).map(
    ({ metric, side, value, actual }) =>
      `${name}: ${metric} is ${actual ?? 'n/a'}, ${side === 'min' ? 'at least' : 'at most'} ${value}`,
  );
