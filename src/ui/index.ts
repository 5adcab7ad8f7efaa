export { acceptedMessages, visibleMessages, type ChatMessage, type ChatPart } from './chat-messages.js';
