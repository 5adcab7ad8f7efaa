import { Check, Copy, Download, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { saveFile } from './save.js';

interface TakeButtonProps {
  readonly children: string;
  readonly icon: LucideIcon;
  /** Its label after success. */
  readonly done: string;
  readonly take: () => Promise<void>;
  readonly look?: 'plain' | 'quiet' | undefined;
}

/** A button that shows its outcome for a while. */
const TakeButton = ({ children, icon, done, take, look = 'plain' }: TakeButtonProps) => {
  const [outcome, setOutcome] = useState<'idle' | 'busy' | 'done' | 'failed'>('idle');
  const isDone = outcome === 'done';
  const click = async (): Promise<void> => {
    setOutcome('busy');
    setOutcome(
      await take().then(
        () => 'done' as const,
        () => 'failed' as const,
      ),
    );
    setTimeout(() => setOutcome('idle'), 2500);
  };
  return (
    <Button icon={isDone ? Check : icon} look={look} disabled={outcome === 'busy'} onClick={() => void click()}>
      <span aria-live="polite">{isDone ? done : outcome === 'failed' ? 'Failed' : children}</span>
    </Button>
  );
};

interface CopyButtonProps {
  readonly children: string;
  /** The text to copy; computed at the click. */
  readonly text: () => string | Promise<string>;
  readonly look?: 'plain' | 'quiet';
}

export const CopyButton = ({ text, ...button }: CopyButtonProps) => (
  <TakeButton {...button} icon={Copy} done="Copied" take={async () => navigator.clipboard.writeText(await text())} />
);

interface SaveButtonProps extends CopyButtonProps {
  readonly name: string;
  readonly type?: string;
}

export const SaveButton = ({ text, name, type, ...button }: SaveButtonProps) => (
  <TakeButton {...button} icon={Download} done="Saved" take={async () => saveFile(name, await text(), type)} />
);
