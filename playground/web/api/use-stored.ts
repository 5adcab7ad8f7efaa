import { useState } from 'react';

/** A value in this browser's storage, which a person may forbid: then it lasts until the page is closed. */
export const readStored = (key: string): string | undefined => {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
};

/** The stored value, and a function to change it. */
export const useStored = (key: string): readonly [string | undefined, (value: string) => void] => {
  const [stored, setStored] = useState(() => readStored(key));
  const change = (value: string): void => {
    setStored(value);
    try {
      localStorage.setItem(key, value);
    } catch {
      // see above
    }
  };
  return [stored, change];
};
