import { LoaderCircle } from 'lucide-react';
import './notices.css';

/** Shows that something is loading. */
export const Waiting = ({ noun }: { readonly noun: string }) => (
  <div className="cluster soft waiting" role="status">
    <LoaderCircle size={18} aria-hidden />
    <span>Loading {noun} …</span>
  </div>
);
