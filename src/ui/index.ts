export { acceptedMessages, visibleMessages, type ChatMessage } from './chat-messages.js';
