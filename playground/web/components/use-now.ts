import { useEffect, useState } from 'react';

/** The time of day, each second while something is under way. */
export const useNow = (isUnderWay: boolean): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isUnderWay) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isUnderWay]);
  return now;
};
