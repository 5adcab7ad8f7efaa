import { useEffect } from 'react';

/** Controls that use the keys themselves. */
const ownKeys =
  'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select, [role="tablist"], [contenteditable]';

/** Calls a handler for a key, such as `n` or `Shift+ArrowLeft`, anywhere on the page except in controls that use it themselves. */
export const usePageKeys = (handlers: Readonly<Partial<Record<string, () => void>>>): void => {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const key =
        event.shiftKey && event.key.length > 1
          ? `Shift+${event.key}`
          : event.key.length > 1
            ? event.key
            : event.key.toLowerCase();
      const handler = Object.hasOwn(handlers, key) ? handlers[key] : undefined;
      const isTaken = event.target instanceof Element && event.target.closest(ownKeys) !== null;
      if (!handler || isTaken || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      event.preventDefault();
      handler();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  });
};
