import { useEffect, useRef } from 'react';
import { Turn } from './turn.js';

/** Keeps the end in sight, unless the person has scrolled away from it. */
const useStickToEnd = () => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let isAtEnd = true;
    const onScroll = () => {
      isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
    };
    const observer = new ResizeObserver(() => {
      if (isAtEnd) element.scrollTop = element.scrollHeight;
    });
    element.addEventListener('scroll', onScroll, { passive: true });
    for (const child of element.children) observer.observe(child);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);
  return box;
};

/** The turns of a conversation, each the run that it is. */
export const Transcript = ({ turns }: { readonly turns: readonly string[] }) => {
  const box = useStickToEnd();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
    <div ref={box} className="transcript" role="log" aria-label="Conversation" tabIndex={0}>
      <ol>
        {turns.map((runId) => (
          <Turn key={runId} runId={runId} />
        ))}
      </ol>
    </div>
  );
};
