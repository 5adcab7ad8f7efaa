import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reply of the model to one request: text, delta by delta, or a tool call, whose only argument is `text` unless `args` is given. */
export type Reply = readonly string[] | { readonly call: string; readonly text?: string; readonly args?: object };

const deltasOf = (reply: Reply): object[] => {
  if (!('call' in reply)) return reply.map((content) => ({ role: 'assistant', content }));
  const call = { name: reply.call, arguments: JSON.stringify(reply.args ?? { text: reply.text }) };
  return [{ role: 'assistant', tool_calls: [{ index: 0, id: `call-${reply.call}`, type: 'function', function: call }] }];
};

/** A model behind an OpenAI-compatible endpoint of this process. It gives the replies in order, and repeats the last. */
export const serveModel = async (
  ...replies: readonly Reply[]
): Promise<{ readonly url: string; readonly requests: string[] }> => {
  const requests: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of request) body += String(part);
    const { stream, messages } = JSON.parse(body);
    const reply = replies[Math.min(requests.push(JSON.stringify(messages)), replies.length) - 1] ?? [];
    const finish_reason = 'call' in reply ? 'tool_calls' : 'stop';
    const common = {
      id: 'reply',
      created: 0,
      model: 'scripted',
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    const event = (delta: object, end: string | null) =>
      `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
    const message = {
      role: 'assistant',
      content: 'call' in reply ? null : reply.join(''),
      ...('call' in reply && deltasOf(reply)[0]),
    };
    const whole = { ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] };
    const events = `${deltasOf(reply)
      .map((delta) => event(delta, null))
      .join('')}${event({}, finish_reason)}data: [DONE]\n\n`;
    response.setHeader('connection', 'close').setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
    response.end(stream ? events : JSON.stringify(whole));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Prints what was seen at some exits of a run, and where among them is a word that must be at none. */
export const report = (word: string, exits: Readonly<Record<string, unknown>>): void => {
  for (const [exit, value] of Object.entries(exits)) console.log(`${exit}: ${textOf(value)}`);
  const found = Object.keys(exits).filter((exit) => textOf(exits[exit]).includes(word));
  console.log(
    found.length > 0 ? `FAILS: "${word}" must be at no exit; it is at: ${found.join(', ')}` : `HOLDS: "${word}" is at no exit`,
  );
};
