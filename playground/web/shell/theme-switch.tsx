import { Monitor, Moon, Sun, type LucideIcon } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { themes, useTheme, type Theme } from '../theme/use-theme.js';

const looks: Readonly<Record<Theme, { readonly title: string; readonly icon: LucideIcon }>> = {
  system: { title: 'As the system', icon: Monitor },
  light: { title: 'Light', icon: Sun },
  dark: { title: 'Dark', icon: Moon },
};

const isTheme = (value: string): value is Theme => value in looks;

/** Light, dark, or as the system prefers. */
export const ThemeSwitch = () => {
  const [theme, setTheme] = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length];
  const change = (value: string) => {
    if (isTheme(value)) setTheme(value);
  };
  return (
    <ToggleGroup.Root className="theme-switch" type="single" aria-label="Theme" value={theme} onValueChange={change}>
      {themes.map((name) => {
        const { title, icon: Icon } = looks[name];
        return (
          <ToggleGroup.Item key={name} value={name} aria-label={title} title={title} data-next={name === next || undefined}>
            <Icon size={15} aria-hidden />
          </ToggleGroup.Item>
        );
      })}
    </ToggleGroup.Root>
  );
};
