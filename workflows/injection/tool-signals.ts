import { signalsNamed } from './injection-signal.js';

/** Names that refer only to models. */
const model = String.raw`(?:(?:ai|a\.i\.)\W+(?:assistant|agent|model|system|bot)|ai|a\.i\.|llm|gpt|claude|copilot|chatgpt|gemini|(?:large )?language model|chatbot)s?\b`;
/** Names of models that people share. */
const modelOrPerson = String.raw`(?:${model}|(?:assistant|agent|model)s?\b)`;
const order = String.raw`(?:ignore|disregard|send|forward|call|reply|respond|include|visit|recommend|execute|delete|say|tell|reveal|click|output|add|append|mention)\b`;
const data = String.raw`(?:api\W?keys?|passwords?|credentials|tokens?|secrets?|(?:the\W+)?(?:entire\W+|full\W+|whole\W+)?(?:conversation|chat)(?:\W+history)?|private\W+\w+|confidential\W+\w+|user(?:'s)?\W+(?:data|e-?mails?|information|messages?|address|details)|contacts|inbox|e-?mails|system\W+prompt|files?|session)`;
const toModels = String.raw`\b(?:if|since|because|as)\W+you(?:'re|\W+are)\W+(?:an?\W+|the\W+)(?:\w+\W+)?${model}`;
const pattern = (source: string) => new RegExp(source, 'i');

/** Orders to the model in a tool result, which should contain only data. */
export const toolSignals = [
  ...signalsNamed('tool-output-imperative', [
    [
      0.7,
      pattern(
        String.raw`\b(?:attention|note|notice|message|instructions?|important|reminder|hey|dear|hello|warning|todo|text|info)\W{1,4}(?:to\W+|for\W+)?(?:the\W+|all\W+|any\W+|this\W+)?${modelOrPerson}\W{0,3}[:,!-]\W{0,4}(?:\w+\W+){0,2}?(?:please|you|your|do|don't|always|never|the\W+user|${order})`,
      ),
    ],
    [
      0.5,
      pattern(
        String.raw`\b(?:attention|note|notice|message|instructions?|reminder|text|info)\W{1,4}(?:to\W+|for\W+)(?:the\W+|all\W+|any\W+|this\W+)?${model}\W{0,3}[:!]`,
      ),
    ],
    [
      0.7,
      pattern(
        String.raw`\b(?:attention|note|notice|message|instructions?|reminder|text|info)\W{1,4}(?:to\W+|for\W+)(?:the\W+|all\W+|any\W+|this\W+)?${model}\W{0,3}[:!][^\n]{0,80}?\b(?:you|your|please|always|never|${order})`,
      ),
    ],
    [
      0.7,
      pattern(String.raw`(?:^|\n|[.!?] )\W{0,4}${model}\W{0,2}[:,]\W{0,4}(?:\w+\W+){0,2}?(?:please|you|always|never|${order})`),
    ],
    [0.5, pattern(String.raw`${toModels}`)],
    [0.75, pattern(String.raw`${toModels}[^.\n]{0,80}?\b(?:please|you|always|never|${order})`)],
    [0.75, pattern(String.raw`\byou,?\W+(?:the\W+)?${modelOrPerson},?\W+(?:must|should|shall|will|have\W+to|need\W+to)\b`)],
    [
      0.7,
      pattern(
        String.raw`\b${model}\W+(?:that\W+|who\W+)?(?:(?:is|are)\W+)?(?:read(?:s|ing)?|process(?:es|ing)?|summari[sz](?:e|es|ing)|handl(?:es|ing)|analy[sz](?:es|ing)|pars(?:es|ing))\W+this\b`,
      ),
    ],
    [
      0.7,
      pattern(
        String.raw`\b${model}\W{0,3}(?:you\W+)?(?:must|should|shall|is required to|are required to|needs? to|have to)\W+(?:now\W+|first\W+|always\W+|immediately\W+)?${order}`,
      ),
    ],
    [
      0.45,
      pattern(
        String.raw`\b(?:you|it|agent|assistant)\W+(?:must|are\W+required\W+to|are\W+instructed\W+to|are\W+to)\W+(?:now\W+|first\W+|always\W+|immediately\W+)?${order}`,
      ),
    ],
    [
      0.55,
      /\b(?:before|prior to)\W+(?:answering|responding|replying|doing anything|using any|continuing|you (?:answer|respond|continue))\b[^\n.]{0,80}\b(?:you (?:must|should|need)|must first|always|first,? (?:call|send|read|run|visit))\b/i,
    ],
    [
      0.5,
      pattern(
        String.raw`\bwhen\W+(?:you\W+are\W+|you\W+)?(?:summari[sz](?:e|ing)|answer(?:ing)?|reply(?:ing)?|process(?:ing)?|respond(?:ing)?(?:\W+to)?)\W+(?:\w+\W+){0,3}?(?:please\W+|always\W+|also\W+)?${order}`,
      ),
    ],
    [0.6, /<!--[^>]{0,300}\b(?:ignore|you must|instructions?|assistant|do not tell|reveal)\b/i],
    [0.45, /<(?:important|instructions?|system|admin|secret)>/i],
    [
      0.5,
      /\bthe\W+user\W+(?:has\W+)?(?:already\W+)?(?:authori[sz]ed|approved|consented|pre-?approved|given\W+(?:you\W+)?permission|agreed)\b/i,
    ],
  ]),
  ...signalsNamed('tool-call-request', [
    [0.4, /\b(?:call|use|invoke|run|execute|trigger)\W+(?:the\W+)?\w[\w.-]{0,38}\w\W+(?:tool|plugin)\b/i],
  ]),
  ...signalsNamed('concealment', [
    [
      0.6,
      /\b(?:do not|don't|never|without)\W+(?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting|reveal|revealing|ask|asking|show|showing|let)\b(?:\W+\w+){0,5}?\W+(?:the\W+)?(?:user|human|customer|operator)\b/i,
    ],
    [
      0.4,
      /\b(?:silently|secretly|quietly|covertly)\W+(?:send|forward|call|run|execute|add|include|delete|upload|visit|append)\b/i,
    ],
    [0.3, /\bkeep\W+this\W+(?:\w+\W+)?(?:secret|hidden|confidential|between us)\b/i],
  ]),
  ...signalsNamed('exfiltration', [
    [
      0.6,
      pattern(
        String.raw`\b(?:send|forward|post|upload|exfiltrate|e-?mail|submit|transmit|leak|copy)\W+(?:\w+\W+){0,5}?${data}\b[^\n]{0,60}?\b(?:to|at|via|into)\W+\S{0,3}(?:https?:|www\.|[\w.+-]{1,64}@)`,
      ),
    ],
    [
      0.7,
      /!\[[^\]\n]{0,200}\]\(https?:\/\/[^)\s]{1,300}[?&][\w-]{1,40}=(?:\{|\[|<|%7B|\$(?!\.)|YOUR|INSERT|DATA(?!:)|SUMMARY|\.\.\.)/i,
    ],
    [
      0.5,
      pattern(
        String.raw`\b(?:append|add|include|encode|embed|put)\W+(?:\w+\W+){0,5}?${data}\b[^\n.]{0,60}?\b(?:url|link|image)\b`,
      ),
    ],
  ]),
];
