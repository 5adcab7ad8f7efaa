import { useCallback, useRef } from 'react';

/** Reports the first error in a field with several controls; `name` identifies the control. */
export const useDraftErrors = (
  report: (message: string | undefined) => void,
): ((name: string, message: string | undefined) => void) => {
  const errors = useRef(new Map<string, string>());
  return useCallback(
    (name, message) => {
      if (message === undefined) errors.current.delete(name);
      else errors.current.set(name, message);
      const [first] = errors.current.values();
      report(first);
    },
    [report],
  );
};
