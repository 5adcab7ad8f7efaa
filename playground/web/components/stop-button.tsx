import { Square } from 'lucide-react';
import { post } from '../api/request.js';
import { Button } from './button.js';

/** Cancels a run that is under way. */
export const StopButton = ({ runId }: { readonly runId: string }) => (
  <Button icon={Square} onClick={() => void post(`runs/${encodeURIComponent(runId)}/cancel`).catch(() => undefined)}>
    Stop
  </Button>
);
