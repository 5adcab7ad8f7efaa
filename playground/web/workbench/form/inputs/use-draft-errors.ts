import { useCallback, useRef } from 'react';

/** Reports the first of what is wrong inside of a field that holds several controls; `name` tells the controls apart. */
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
