/**
 * Runs an approved call in every way, once for each kind of stop, and prints a line for each. The exit code counts: a rejection
 * that nothing handles ends this process, and a test runner would hide it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { approvedWays, kinds, runApproved } from './approved-call.js';

for (const way of approvedWays)
  for (const [kind, guard] of Object.entries(kinds)) {
    const { ran, error, modelCalls } = await runApproved(way, guard());
    process.stdout.write(`${JSON.stringify({ way, kind, ran: ran.length, error, modelCalls })}\n`);
    await sleep(0); // Node reports unhandled rejections at the end of a turn
  }
