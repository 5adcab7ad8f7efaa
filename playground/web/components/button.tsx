import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import './button.css';

interface ButtonLook {
  /** `primary`: the main action here; `quiet`: no frame. */
  readonly look?: 'primary' | 'plain' | 'quiet';
  readonly icon?: LucideIcon;
  /** Without it the button is square; give it an `aria-label`. */
  readonly children?: ReactNode;
}

export const Button = ({
  look = 'plain',
  icon: Icon,
  className = '',
  type = 'button',
  children,
  ...rest
}: ButtonLook & ComponentProps<'button'>) => (
  <button type={type} className={`button button-${look} ${children === undefined ? 'button-icon' : ''} ${className}`} {...rest}>
    {Icon && <Icon size={14} aria-hidden />} {children}
  </button>
);

/** A link that looks like a button. */
export const ButtonLink = ({ href, icon: Icon, children }: ButtonLook & { readonly href: string }) => (
  <Link className="button button-plain" href={href}>
    {Icon && <Icon size={14} aria-hidden />} {children}
  </Link>
);
