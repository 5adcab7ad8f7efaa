import { cases } from './cases.js';
import { cpuMs, measure } from './measure.js';

/** Measures one case in this process. */
const [name, isQuick] = process.argv.slice(2);
const found = cases.find((one) => one.name === name);
if (!found) throw new Error(`There is no case "${name}".`);
const samples = await measure(found, isQuick === 'true');
process.stdout.write(JSON.stringify({ samples, cpuMs: cpuMs() }), () => process.exit()); // a subject's timers must not keep it alive
