import { Rows3 } from 'lucide-react';
import { EmptyState } from '../components/empty-state.js';

export const ChatPage = () => <EmptyState icon={Rows3} title="Chat" />;
