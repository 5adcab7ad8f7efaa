import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatStatus,
  type UIMessage,
} from 'ai';

/** The chat behind `useChat`, with its state in plain fields: the same transport, protocol and rules, without React. */
class PlainChat extends AbstractChat<UIMessage> {
  constructor(url: string, body: object) {
    let status: ChatStatus = 'ready';
    let error: Error | undefined;
    let messages: UIMessage[] = [];
    super({
      transport: new DefaultChatTransport({ api: url, body }),
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

/** A chat with an agent over Mastra's route for the AI SDK; `body` goes with every request. */
export const openChat = (serverUrl: string, agentId: string, body: object = {}) =>
  new PlainChat(`${serverUrl}/chat/${agentId}`, body);
