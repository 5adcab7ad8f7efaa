import { useEffect } from 'react';

const studio = 'Interlock studio';

/** Names the page in the browser's tab and history, while it is shown. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} – ${studio}`;
    return () => {
      document.title = studio;
    };
  }, [title]);
};
