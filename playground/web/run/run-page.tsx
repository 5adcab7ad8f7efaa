import { Rows3 } from 'lucide-react';
import { EmptyState } from '../components/empty-state.js';

export const RunPage = () => <EmptyState icon={Rows3} title="Run" />;
