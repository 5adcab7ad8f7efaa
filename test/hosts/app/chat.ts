import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatStatus,
  type UIMessage,
} from 'ai';

import { visibleMessages } from '../../../src/ui/index.js';

/** The chat behind `useChat`, with its state in plain fields: the same transport, protocol and rules, without React. */
class PlainChat extends AbstractChat<UIMessage> {
  constructor(url: string, body: object, takesOut: boolean) {
    let status: ChatStatus = 'ready';
    let error: Error | undefined;
    let messages: UIMessage[] = [];
    super({
      transport: new DefaultChatTransport({ api: url, body }),
      onFinish: ({ messages: all }) => {
        if (takesOut) this.messages = visibleMessages(all);
      },
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      state: {
        get status() {
          return status;
        },
        set status(next) {
          status = next;
        },
        get error() {
          return error;
        },
        set error(next) {
          error = next;
        },
        get messages() {
          return messages;
        },
        set messages(next) {
          messages = next;
        },
        pushMessage: (message) => void (messages = [...messages, message]),
        popMessage: () => void (messages = messages.slice(0, -1)),
        replaceMessage: (index, message) => void (messages = messages.with(index, message)),
        snapshot: (thing) => structuredClone(thing),
      },
    });
  }
}

/**
 * A chat with an agent over Mastra's route for the AI SDK; `body` goes with every request. `takesOut`: the page removes
 * retracted content from its messages, as in the guide on chats.
 */
export const openChat = (
  serverUrl: string,
  agentId: string,
  { body = {}, takesOut = false }: { body?: object; takesOut?: boolean } = {},
) => new PlainChat(`${serverUrl}/chat/${agentId}`, body, takesOut);
