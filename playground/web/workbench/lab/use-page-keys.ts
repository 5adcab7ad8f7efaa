import { useEffect } from 'react';

/** Controls that use the keys themselves. */
const ownKeys =
  'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select, .cuts, [contenteditable], .graph';

/** Calls a handler for a key, anywhere on the page except in controls that use it themselves. */
export const usePageKeys = (handlers: Readonly<Partial<Record<string, () => void>>>): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined;
      const isTaken = event.target instanceof Element && event.target.closest(ownKeys) !== null;
      if (!handler || isTaken || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });
};
