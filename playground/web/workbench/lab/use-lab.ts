import { useRef, useState } from 'react';
import { post } from '../../api/request.js';
import type { LabRun } from '../../../protocol/workbench.js';
import type { LabSettings } from './lab-link.js';

/** A run of the lab, with its settings. */
export interface LabResult {
  readonly settings: LabSettings;
  readonly run: LabRun;
  /** The number of the result, which distinguishes consecutive results. */
  readonly number: number;
}

export interface Lab {
  readonly isBusy: boolean;
  readonly result?: LabResult;
  readonly error?: Error;
}

/** Runs settings through the gate. */
export const useLab = () => {
  const [lab, setLab] = useState<Lab>({ isBusy: false });
  const count = useRef(0);
  const run = async (settings: LabSettings): Promise<void> => {
    setLab((before) => ({ ...(before.result && { result: before.result }), isBusy: true }));
    try {
      const made = await post<LabRun>('lab/stream', settings);
      count.current += 1;
      setLab({ isBusy: false, result: { settings, run: made, number: count.current } });
    } catch (thrown) {
      setLab({ isBusy: false, error: thrown as Error }); // the client throws only this type
    }
  };
  return { lab, run };
};
