import type { LucideIcon } from 'lucide-react';
import { useId, useRef, type ReactNode } from 'react';
import './menu.css';

interface MenuProps {
  /** Of the button that opens it. */
  readonly icon: LucideIcon;
  readonly title: string;
  readonly look?: 'primary' | 'plain' | 'quiet';
  readonly children: ReactNode;
}

/** A button with a panel below it. The browser closes it: with Escape, and with a click elsewhere. */
export const Menu = ({ icon: Icon, title, look = 'plain', children }: MenuProps) => {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const place = (): void => {
    const box = button.current?.getBoundingClientRect();
    if (!box || !panel.current) return;
    const left = Math.max(8, Math.min(box.left, innerWidth - panel.current.offsetWidth - 8));
    const top = Math.max(8, Math.min(box.bottom + 4, innerHeight - panel.current.offsetHeight - 8));
    Object.assign(panel.current.style, { left: `${left}px`, top: `${top}px` });
  };
  return (
    <>
      <button ref={button} type="button" className={`button button-${look}`} popoverTarget={id}>
        <Icon size={14} aria-hidden /> {title}
      </button>
      <div ref={panel} id={id} popover="auto" className="small menu" onToggle={place}>
        {children}
      </div>
    </>
  );
};
