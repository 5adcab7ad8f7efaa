import { readStored, useStored } from '../api/use-stored.js';

/** `system` follows the device's preference. */
export const themes = ['system', 'light', 'dark'] as const;

type Theme = (typeof themes)[number];

const key = 'interlock-studio-theme';

const themeOf = (stored: string | undefined): Theme => themes.find((theme) => theme === stored) ?? 'system';

const show = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

/** Shows the stored theme; called once before anything is drawn. */
export const startTheme = (): void => show(themeOf(readStored(key)));

/** The theme, and a function to change it. */
export const useTheme = (): readonly [Theme, (theme: Theme) => void] => {
  const [stored, store] = useStored(key);
  const change = (next: Theme): void => {
    show(next);
    store(next);
  };
  return [themeOf(stored), change];
};
