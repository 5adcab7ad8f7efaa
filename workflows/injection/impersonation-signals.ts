import { signalsNamed } from './injection-signal.js';

const takeover = String.raw`(?:ignore|disregard|forget|new\W+instructions?|from now|override|enter|reveal)\b`;
const order = String.raw`(?:${takeover}|(?:you|your|respond|reply|always|never|act|forward|send|delete|execute|call|print)\b|the\W+(?:user|assistant)\W+(?:is|has|must|may)\b)`;
const kind = String.raw`(?:\W{1,3}(?:message|prompt|note|override|instructions?|update|command|alert|notice|directive))?`;
const lineStart = String.raw`(?:^|\n|[.!?\])] )\W{0,6}`;
/** The characters allowed between a label and its text. A quote is not: it means code or a quotation. */
const gap = String.raw`\W{0,3}[:\]>][\s*_>\]-]{0,6}`;
const tag = String.raw`(?:system|sys|system[-_ ]?(?:prompt|message|instructions?)|developer)`;

/** Text that pretends to come from the system, the developers or another turn of the conversation. */
export const impersonationSignals = [
  ...signalsNamed('role-impersonation', [
    [0.8, /<\|(?:im_start|start_header_id)\|>\s{0,3}(?:system|assistant|developer)/i],
    [0.6, /<<\/?SYS>>|\[\/?INST\]|<\|(?:im_end|eot_id|end_of_turn|system|endofprompt)\|>|<(?:start|end)_of_turn>/i],
    [0.75, new RegExp(String.raw`${lineStart}system${kind}${gap}${order}`, 'i')],
    [0.75, new RegExp(String.raw`${lineStart}(?:developer|admin(?:istrator)?|root|operator)${kind}${gap}${takeover}`, 'i')],
    [0.75, new RegExp(String.raw`<\/?\s?${tag}\s?>\W{0,6}${order}`, 'i')],
    [0.45, new RegExp(String.raw`<\/?\s?(?:${tag}|assistant)\s?>`, 'i')],
    [0.4, /(?:^|\n)#{2,4} ?(?:system|instructions?|new instructions?)\b/i],
    [0.7, /\[system\]\(#/i],
    [0.7, new RegExp(String.raw`${lineStart}(?:system|admin(?:istrator)?|developer)\W+override\b`, 'i')],
    [0.5, /["']role["']\s{0,3}:\s{0,3}["'](?:system|developer)["']/i],
  ]),
  ...signalsNamed('false-authority', [
    [
      0.5,
      /\b(?:i am|i'm|this is|it's|it is)\W+(?:(?:one of\W+)?your|the|an?)\W+(?:\w+\W+){0,2}?(?:developers?|creators?|programmers?|admin(?:istrator)?|engineers?|operator|owner)\b/i,
    ],
    [
      0.5,
      /\b(?:message|instructions?|update|notice|order)\W+from\W+(?:\w+\W+){0,2}?(?:openai|anthropic|google|meta|microsoft|deepmind|developers?|creators?|headquarters|the system)\b/i,
    ],
    [0.4, /\b(?:i|we)\W+(?:hereby\W+)?(?:authori[sz]e|grant|permit)\W+you\b|\bauthori[sz]ation\W+(?:code|level|override)\b/i],
  ]),
];
