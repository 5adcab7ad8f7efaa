import { Signpost } from 'lucide-react';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.js';

/** No page has this address. */
export const NotFound = () => (
  <EmptyState icon={Signpost} title="There is no such page">
    <Link href="/">To the chat</Link>, or <Link href="/runs">to the runs</Link>.
  </EmptyState>
);
