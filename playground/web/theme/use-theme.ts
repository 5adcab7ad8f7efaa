import { useState } from 'react';

/** `system` follows the device's preference. */
export type Theme = 'system' | 'light' | 'dark';

export const themes: readonly Theme[] = ['system', 'light', 'dark'];

const key = 'interlock-studio-theme';

const keptTheme = (): Theme => {
  try {
    const kept = localStorage.getItem(key);
    return themes.find((theme) => theme === kept) ?? 'system';
  } catch {
    return 'system'; // storage may be forbidden
  }
};

const keepTheme = (theme: Theme): void => {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // It lasts until the page is closed.
  }
};

const show = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

/** Shows the stored theme; called once before anything is drawn. */
export const startTheme = (): void => show(keptTheme());

/** The theme, and a function to change it, which stores it in this browser. */
export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const [theme, setTheme] = useState(keptTheme);
  const change = (next: Theme) => {
    show(next);
    keepTheme(next);
    setTheme(next);
  };
  return [theme, change];
};
