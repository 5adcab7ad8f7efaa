import type { Conversation, TurnEnd } from './conversation.js';
import { interrupted, listenForInterrupts } from './interrupts.js';
import { openLines, type LineOptions } from './lines.js';
import type { Screen } from './screen.js';
import type { Order, OrderStore } from './shop/order-store.js';
import { help } from './welcome.js';

export interface Session {
  readonly conversation: Conversation;
  readonly screen: Screen;
  readonly store: OrderStore;
  /** Nothing where the embedded responder answers. */
  readonly modelName: string | undefined;
}

const runTurn = async ({ conversation, screen }: Session, text: string, signal: AbortSignal): Promise<TurnEnd> => {
  const turn = screen.turn();
  const end = await conversation.say(text, turn, signal);
  turn.end(end);
  return end;
};

/** Exit codes of a single turn. */
const exitCodes: Record<TurnEnd['status'], number> = { success: 0, tripwire: 2, failed: 1, canceled: interrupted, suspended: 1 };

/** Runs one turn and gives the program's exit code. */
export const once = async (session: Session, text: string): Promise<number> => {
  const interrupts = listenForInterrupts(() => process.exit(interrupted));
  const { status } = await interrupts.during((signal) => runTurn(session, text, signal));
  interrupts.close();
  return exitCodes[status];
};

/** Runs turns until the input ends. How a turn ended does not end the chat. */
export const chat = async (session: Session, io: LineOptions): Promise<number> => {
  const lines = openLines(io);
  const interrupts = listenForInterrupts(lines.close);
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const text = line.trim();
    if (text === '/exit') break;
    if (text.startsWith('/')) command(session, text);
    else if (text !== '') await interrupts.during((signal) => runTurn(session, text, signal));
    session.screen.note('');
  }
  lines.close();
  interrupts.close();
  return 0;
};

const command = ({ screen, store, modelName }: Session, name: string): void => {
  if (name === '/orders') screen.note(store.list().map(sayOrder).join('\n'));
  else if (name === '/help') screen.note(help(modelName, screen.columns));
  else screen.note(`There is no command ${name}; /help lists them.`);
};

const sayOrder = ({ orderId, status, total, items }: Order): string =>
  `${orderId}  ${status.padEnd(12)}${total}  ${items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ')}`;
