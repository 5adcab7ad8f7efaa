import type { Scenario } from '../scenario.js';
import { p1 } from './p1.js';
import { p2 } from './p2.js';
import { p3 } from './p3.js';
import { p4 } from './p4.js';
import { p5, p6 } from './p5-to-p6.js';
import { p10, p12, p7, p8, p9 } from './p7-to-p12.js';

export const scenarios: readonly Scenario[] = [...p1, ...p2, ...p3, ...p4, ...p5, ...p6, ...p7, ...p8, ...p9, ...p10, ...p12];

/** Does an id begin with these words? `p1` begins `p1-block-step`, and not `p10-input`. */
export const isNamed = (id: string, words: string): boolean => `${id}-`.startsWith(`${words}-`);
