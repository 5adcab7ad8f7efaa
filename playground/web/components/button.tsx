import type { ComponentProps } from 'react';
import './button.css';

interface ButtonProps extends ComponentProps<'button'> {
  /** `primary`: the main action here; `quiet`: no frame. */
  readonly look?: 'primary' | 'plain' | 'quiet';
  /** Square, for a single icon; give it an `aria-label`. */
  readonly isIcon?: boolean;
}

export const Button = ({ look = 'plain', isIcon = false, className = '', type = 'button', ...rest }: ButtonProps) => (
  <button type={type} className={`button button-${look} ${isIcon ? 'button-icon' : ''} ${className}`} {...rest} />
);
