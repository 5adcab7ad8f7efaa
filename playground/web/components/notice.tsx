import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Tone } from '../../fold/facts.js';
import './notices.css';

interface NoticeProps {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly role?: 'status' | 'alert';
  readonly children: ReactNode;
}

/** A message with a frame in the color of its tone. */
export const Notice = ({ tone, icon: Icon, role, children }: NoticeProps) => (
  <div className={`notice tone-${tone}`} role={role}>
    <Icon size={18} aria-hidden />
    <div className="stack-s notice-body">{children}</div>
  </div>
);
