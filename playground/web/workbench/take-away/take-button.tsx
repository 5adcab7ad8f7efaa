import { Check, Copy, Download, type LucideIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.js';
import { copyText, saveFile } from './save.js';

type Outcome = 'idle' | 'busy' | 'done' | 'failed';

interface TakeButtonProps {
  readonly children: string;
  readonly icon: LucideIcon;
  /** Its label after success. */
  readonly done: string;
  /** Returns whether it succeeded; a rejection counts as failure. */
  readonly take: () => Promise<boolean>;
  readonly look?: 'plain' | 'quiet' | undefined;
}

/** A button that shows its outcome for a while. */
const TakeButton = ({ children, icon: Icon, done, take, look = 'plain' }: TakeButtonProps) => {
  const [outcome, setOutcome] = useState<Outcome>('idle');
  useEffect(() => {
    if (outcome !== 'done' && outcome !== 'failed') return undefined;
    const timer = setTimeout(() => setOutcome('idle'), 2500);
    return () => clearTimeout(timer);
  }, [outcome]);
  const click = async (): Promise<void> => {
    setOutcome('busy');
    setOutcome((await take().catch(() => false)) ? 'done' : 'failed');
  };
  return (
    <Button look={look} disabled={outcome === 'busy'} onClick={() => void click()}>
      {outcome === 'done' ? <Check size={14} aria-hidden /> : <Icon size={14} aria-hidden />}
      <span aria-live="polite">{outcome === 'done' ? done : outcome === 'failed' ? 'Failed' : children}</span>
    </Button>
  );
};

interface CopyButtonProps {
  readonly children: string;
  /** The text to copy; computed at the click. */
  readonly text: () => string | Promise<string>;
  readonly look?: 'plain' | 'quiet';
}

export const CopyButton = ({ children, text, look }: CopyButtonProps) => (
  <TakeButton look={look} icon={Copy} done="Copied" take={async () => copyText(await text())}>
    {children}
  </TakeButton>
);

interface SaveButtonProps extends CopyButtonProps {
  readonly name: string;
  readonly type?: string;
}

export const SaveButton = ({ children, text, name, type }: SaveButtonProps) => {
  const take = async (): Promise<boolean> => {
    saveFile(name, await text(), type);
    return true;
  };
  return (
    <TakeButton icon={Download} done="Saved" take={take}>
      {children}
    </TakeButton>
  );
};
