import type { RunFile } from '../../protocol/run-file.js';
import { ThemeSwitch } from './theme-switch.js';
import './exported-head.css';

/** In place of the navigation where the document holds one run. */
export const ExportedHead = ({ file }: { readonly file: RunFile }) => (
  <header className="exported-head">
    <p>
      <strong>Interlock</strong> A run, exported on {new Date(file.exportedAt).toLocaleString()}
      {!file.hasAllWords && '. Words that no reader has seen (▒) are not in this file.'}
    </p>
    <ThemeSwitch />
  </header>
);
