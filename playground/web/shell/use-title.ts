import { useEffect } from 'react';

const studio = 'Interlock studio';

/** Sets the page's title in the browser's tab and history, while it is shown. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} – ${studio}`;
    return () => {
      document.title = studio;
    };
  }, [title]);
};
