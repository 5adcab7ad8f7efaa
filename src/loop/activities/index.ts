import type { Awaitable } from '../../phase/awaitable.js';
import type { Outcome } from '../outcome.js';
import type { Run } from '../run.js';
import type { ActivityName } from '../activity-names.js';
import { call } from './call.js';
import { finish } from './finish.js';
import { input } from './input.js';
import { judgeOverlap } from './judge-overlap.js';
import { open } from './open.js';
import { persist } from './persist.js';
import { prepare } from './prepare.js';
import { recover } from './recover.js';
import { request } from './request.js';
import { review } from './review.js';
import { tools } from './tools.js';

/** The activities that the machine requests, as the in-process driver runs them. */
export const activities: Record<ActivityName, (run: Run) => Awaitable<Outcome>> = {
  input,
  prepare,
  request,
  open,
  judge: judgeOverlap,
  call,
  review,
  tools,
  recover,
  finish,
  persist,
};
