export { copyPlain, isRecord, isSame } from '../phase/plain-data.js';
