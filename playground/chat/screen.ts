import type { RunEvent } from '../../src/index.js';
import type { TurnEnd, TurnWatcher } from './conversation.js';
import { oneLine } from './view/plain-text.js';
import type { Terminal } from './view/terminal.js';
import { turnSummary } from './view/turn-summary.js';
import { createTurnView } from './view/turn-view.js';

/** Where a session is shown: for people, or as JSON lines for programs. */
export interface Screen {
  readonly columns: number;
  /** Something beside the turns. */
  note(text: string): void;
  /** Starts showing a turn. */
  turn(): TurnWatcher & { end(end: TurnEnd): void };
}

/** For people: the stream, then what the guards decided and which states the run went through. */
export const humanScreen = (terminal: Terminal): Screen => ({
  get columns() {
    return terminal.columns;
  },
  note: (text) => terminal.write(`${text}\n`),
  turn: () => {
    const events: RunEvent[] = [];
    const view = createTurnView(terminal);
    return {
      chunk: view.chunk,
      event: (event) => {
        events.push(event);
        view.event(event);
      },
      end: ({ error }) => {
        view.end();
        if (events.length > 0) terminal.write(`\n${turnSummary(events, terminal)}\n`);
        // Refused before the run began: there is no summary to tell it.
        else if (error) terminal.write(`${terminal.paint.red(oneLine(error.message, 500))}\n`);
      },
    };
  },
});

export interface JsonStreams {
  /** Run events, one line each, and nothing else. */
  readonly events: (line: string) => void;
  /** What a program's reader must know when no run began. */
  readonly complaints: (line: string) => void;
}

/** For programs. */
export const jsonScreen = ({ events, complaints }: JsonStreams): Screen => ({
  columns: Infinity,
  note: () => undefined,
  turn: () => {
    let hasBegun = false;
    return {
      chunk: () => undefined,
      event: (event) => {
        hasBegun = true;
        events(`${JSON.stringify(event)}\n`);
      },
      end: ({ error }) => {
        if (error && !hasBegun) complaints(`${oneLine(error.message, 500)}\n`);
      },
    };
  },
});
