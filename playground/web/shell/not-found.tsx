import { Signpost } from 'lucide-react';
import { Link } from 'wouter';
import { EmptyState } from '../components/notices.js';

/** The page for an unknown address. */
export const NotFound = () => (
  <EmptyState icon={Signpost} title="Page not found" isPage>
    <Link href="/">To the chat</Link>, or <Link href="/runs">to the runs</Link>.
  </EmptyState>
);
