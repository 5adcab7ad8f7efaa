import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { onDemand } from '../components/on-demand.js';

const GoTo = onDemand(async () => (await import('./go-to/go-to.js')).GoTo, null);

const opened = 'studio-go-to';

/** The same as Ctrl+K. */
export const GoToButton = () => (
  <button
    type="button"
    aria-label="Go to Ctrl K"
    className="go-to-open"
    aria-keyshortcuts="Control+K Meta+K"
    onClick={() => dispatchEvent(new Event(opened))}
  >
    <Search size={16} aria-hidden />
    <span>Go to</span> <kbd aria-hidden>Ctrl K</kbd>
  </button>
);

/** Opens the search for pages and runs at Ctrl+K (⌘K), on any page. */
export const GoToKey = () => {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const open = (): void => setIsOpen(true);
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      open();
    };
    const controller = new AbortController();
    addEventListener('keydown', onKeyDown, controller);
    addEventListener(opened, open, controller);
    return () => controller.abort();
  }, []);
  return isOpen && <GoTo onClose={() => setIsOpen(false)} />;
};
