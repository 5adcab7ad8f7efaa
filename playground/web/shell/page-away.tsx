import { useEffect, useState } from 'react';
import { ErrorNotice } from '../components/notices.js';

const checkEveryMs = 1500;

const isServerThere = async (): Promise<boolean> => {
  try {
    return (await fetch(document.baseURI, { cache: 'no-store' })).ok;
  } catch {
    return false;
  }
};

/** Whether this document was already reloaded once: then the user decides whether to try again. */
const wasReloaded = (): boolean =>
  performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'reload');

/** Shown for a page whose code did not load: the server was away, or has new code now. Reloads the page once the server answers. */
export const PageAway = () => {
  const [isThere, setIsThere] = useState(false);
  useEffect(() => {
    let wasAway = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const controller = new AbortController();
    const check = async (): Promise<void> => {
      const isHere = await isServerThere();
      if (controller.signal.aborted) return;
      if (isHere && (wasAway || !wasReloaded())) location.reload();
      else if (isHere) setIsThere(true);
      else timer = setTimeout(() => void check(), checkEveryMs);
      wasAway ||= !isHere;
    };
    void check();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, []);
  const message = isThere
    ? 'This page could not be loaded.'
    : 'The studio server is not reachable. This page opens when the server responds.';
  return (
    <div className="page">
      <ErrorNotice error={{ message, code: 'studio/unreachable' }} onRetry={() => location.reload()} />
    </div>
  );
};
