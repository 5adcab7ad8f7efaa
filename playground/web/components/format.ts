/** A duration in readable units: `< 0.1 ms`, `0.4 ms`, `38 ms`, `1.2 s`, `2 min 5 s`. */
export const formatDuration = (ms: number): string => {
  if (ms < 0.05) return ms === 0 ? '0 ms' : '< 0.1 ms';
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** A time of day; with the date if it was not today. */
export const formatTime = (at: number, now = Date.now()): string => {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString(undefined, isToday ? clock : { ...clock, day: 'numeric', month: 'short' });
};

/** `1 guard`, `2 guards`. */
export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${amount < 1000 ? amount : amount.toLocaleString()} ${amount === 1 ? one : many}`;

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A time as seen from now: `3 min. ago`. */
export const formatAgo = (at: number, now = Date.now()): string => {
  const [unit, ms] = units.find(([, least]) => now - at >= least) ?? ['second', 1000];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'always', style: 'short' }).format(
    -Math.max(0, Math.floor((now - at) / ms)),
    unit,
  );
};

/** `step 2, attempt 2`; a first attempt is not named. */
export const attemptName = ({ stepNumber, attempt }: { readonly stepNumber: number; readonly attempt: number }): string =>
  `step ${stepNumber + 1}${attempt > 1 ? `, attempt ${attempt}` : ''}`;

/** The last name of a dotted path of a state. */
export const stateName = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
