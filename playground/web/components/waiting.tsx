import { LoaderCircle } from 'lucide-react';
import './notices.css';

/** Shows that something is loading. */
export const Waiting = ({ what }: { readonly what: string }) => (
  <div className="waiting" role="status">
    <LoaderCircle size={18} aria-hidden />
    <span>Loading {what} …</span>
  </div>
);
