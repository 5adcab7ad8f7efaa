import { notInData, othersWords, phrase, signalsNamed, words } from './injection-signal.js';

const ignore =
  /\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?(?: about)?|neglect|discard|overlook(?:ing)?|dismiss(?:ing)?|overrid(?:e|ing)|pay no attention to|(?<!\b(?!does\b)\w{3,20}s )(?:do not|don't|dont|not|never|stop|no longer|quit) (?:pay(?:ing)? attention|follow|obey|adher|comply|listen|respect|apply)(?:ing|e)?(?: to| with)?)\b/;
const breakOut =
  /\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|abandon|break|violate|circumvent|disabl(?:e|ing)|(?:turn|switch) off|remove|drop|throw (?:away|out)|let go of|(?:set|put) aside|erase|unlearn|(?:do )?the opposite of(?: what)?)\b/;
const instructions =
  /(?:instructions?|prompts?|directives?|directions|guidelines?|guidance|guard-?rails?|commands?|programming|rules)\b/;
const instructionsOrLimits = new RegExp(String.raw`(?:${instructions.source}|(?:restrictions|limitations|constraints)\b)`);
const earlier = /(?:previous|prior|above|earlier|preceding|foregoing|aforementioned)/;
const ofTheModel =
  /(?:(?:system|safety|content|ethical|moral|core|original|initial|hidden|developer|built-in|usage|current|existing|own|default) ){0,3}(?:instructions?|prompts?|directives?|guidelines?|guard-?rails?|rules|restrictions|limitations|constraints|programming|training|alignment|ethics|safety (?:settings|features|measures|protocols|filters?)|(?:content|safety|moderation|ethical) (?:filters?|polic(?:y|ies)))\b/;
const earlierInstructions =
  /(?:(?:given|sent|written|provided|fed|told|taught) to you|(?:un)?till? now|so far|you(?:'ve| have| had| were| got)? (?:been |were )?(?:told|given|instructed|taught|programmed|had previously|received)|(?:is|was|were|came|comes|written|stated|said) (?:above|before(?: this)?|earlier)|previously|(?:set |given |imposed |made |written )?(?:by|from) (?:openai|anthropic|google|(?:the|your) (?:system|developers?|creators?|admin(?:istrator)?s?))|above(?: this| that)?\b(?! \d| an?\b)|before(?:hand)?\b(?! (?:you|i|we|the)\b)|prior to this)/;

const otherLanguages = {
  verb: /\b(?:ignor(?:a|ar|e|ez|era?|iere|iert|ieren sie|i|ate)|vergiss|vergesst|missachte|oublie[zr]?|negeer|vergeet|olvid(?:a|e|ar)|dimentica(?:te)?|esquec[ae]|desconsidere)\b/,
  noun: /(?:instrucciones|instructions|istruzioni|instrucoes|instruktion(?:en|er)|instructiunile|anweisungen|indicaciones|consignes|directivas|regeln|regole|reglas|regras|regles|vorgaben|befehle|instructies|regels|ordenes)/,
  earlier:
    /(?:anterior[ei]s?|anterioare|tid(?:igare|ligere)|previ[ao]s|precedent[ei]?s?|vorherige[nr]?|bisherige[nr]?|obige[nr]?|vorangegangenen|eerdere|vorige|ci-dessus|de arriba|acima)\b/,
};

/** Attempts to lift the instructions that the model was given. */
export const overrideSignals = [
  ...signalsNamed('instruction-override', [
    [0.9, phrase(ignore, othersWords(4), earlier, othersWords(2), instructionsOrLimits)],
    [0.85, phrase(breakOut, words(3), /your /, ofTheModel)],
    [0.85, phrase(ignore, othersWords(3), instructions, othersWords(3), earlierInstructions)],
    [0.8, phrase(ignore, /\W+(?:everything|all(?: of)?(?: the| that)?|anything|whatever|what)\W+/, earlierInstructions)],
    [0.5, phrase(ignore, /\W+everything\b/)],
    [
      0.5,
      phrase(
        ignore,
        /\W+(?:everything\W+|all\W+(?:of\W+)?)?(?:the\W+)?(?:above|preceding|foregoing)(?:\W+(?:text|input|line|lines|words|content|conversation))?\W+(?:and|then|but)\W+(?:instead\W+|just\W+|only\W+|now\W+)?(?:say|print|output|respond|write|reply|return|tell|give|repeat|answer|do|act|show|translate|start)\b/,
      ),
    ],
    [
      0.55,
      phrase(
        ignore,
        othersWords(2),
        /(?:any|all|every|everything)\W+(?:of\W+)?(?:the\W+|your\W+)?(?:previous|prior|earlier|past|pre-?\w+)\W+(?:\w+\W+){0,3}?(?:inputs?|text|messages|conversations?|data|knowledge|context|information|chats?|commands?|training)\b/,
      ),
    ],
    [
      0.75,
      phrase(
        ignore,
        /\W+(?:all|any|every|the system|system|developer)\W+(?:of\W+)?(?:the\W+|these\W+|those\W+)?(?:system\W+)?(?:instructions?|directives?|guidelines|(?:system )?prompt\b)/,
        notInData,
      ),
    ],
    [0.5, phrase(ignore, /\W+(?:all|any)\W+(?:of\W+)?(?:the\W+)?(?:rules|restrictions|limitations|prompts)\b/)],
    [
      0.85,
      phrase(
        earlier,
        words(1),
        /(?:instructions|directives|guidelines|prompts?)\W+(?:(?:are|is) (?:now )?(?:void|null|invalid|obsolete|revoked|cancel+ed|outdated|over)|no longer appl(?:y|ies)|do(?:es)? not apply)\b/,
      ),
    ],
    [0.75, phrase(/\byour\W+/, ofTheModel, /\W+(?:do not|don't|no longer|does not|doesn't)\W+(?:exist|apply|matter|count)\b/)],
    [
      0.5,
      /\b(?:skip|disable|ignore|bypass)\W+(?:all\W+|any\W+|the\W+)?safety\W+(?:checks|filters?|measures|protocols|guidelines|rules)\b/i,
    ],
    [0.7, phrase(/\byour\W+/, ofTheModel, /\W+(?:have|has)\W+(?:been\W+)?(?:changed|updated|replaced|revoked|lifted|removed)\b/)],
    [
      0.75,
      /\bpretend\b[^\n]{0,40}\b(?:guidelines|rules|restrictions|polic(?:y|ies)|instructions)\W+(?:do not|don't|doesn't|never)\W+(?:exist|apply|matter)/i,
    ],
    [0.5, /\b(?:ignore|forget|break)\W+my\W+(?:guidelines|instructions|programming|restrictions|training)\b/i],
    [0.85, phrase(otherLanguages.verb, words(3), otherLanguages.noun, words(2), otherLanguages.earlier)],
    [0.85, phrase(otherLanguages.verb, words(3), otherLanguages.earlier, words(1), otherLanguages.noun)],
    [
      0.85,
      /\b(?:(?:onceki|yukar.daki)\W+(?:\w+\W+){0,2}?(?:talimat|komut|kural|yonerge)\w{0,8}\W+(?:\w+\W+){0,2}?(?:yok\W+say|gormezden\W+gel|unut)|(?:z?ignoruj|zapomnij)\W+(?:o\W+)?(?:\w+\W+){0,2}?(?:instrukc|pokyn|polece|zasad|wytyczn)|figyelmen\W+kivul\W+(?:\w+[^\w.{}]+){0,4}?(?:utasitas|szabaly)|ohita\W+(?:\w+\W+){0,2}?(?:ohje|kasky)|abaikan\W+(?:\w+\W+){0,2}?(?:instruksi|perintah|arahan|aturan)|bo\W+qua\W+(?:\w+\W+){0,3}?(?:huong\W+dan|chi\W+dan|lenh|quy\W+tac))/i,
    ],
    [
      0.85,
      /(?:(?:про)?ігноруй(?:те)?|забудь)\s+(?:[а-яіїєґ]+\s+){0,3}?(?:інструкції|вказівки|правила|команди)|(?:התעלם|התעלמי|שכח)\s+(?:\S+\s+){0,2}?\S{0,2}(?:הוראות|הנחיות|כללים)|(?:دستور|قوانین|قواعد)\S*\s+(?:\S+\s+){0,3}?(?:نادیده|فراموش)|(?:เพิกเฉย|ละเว้น|ลืม)\S{0,12}(?:ค\S{1,2}สั่ง|ค\S{1,2}แนะน)|(?:игнорируй|игнорируйте|игнорировать|проигнорируй|проигнорируйте|забудь|забудьте|забыть)\s+(?:[а-яё]+\s+){0,3}?(?:инструкции|указания|правила|команды)|(?:αγνόησε|αγνοήστε|ξέχασε|ξεχάστε)\s+(?:[ά-ώ]+\s+){0,3}?(?:οδηγίες|εντολές|κανόνες)|(?:पिछल[ेी]|पूर्व|उपरोक्त|पहले के)\s+(?:\S+\s+){0,2}?(?:निर्देश|आदेश|नियम)\S{0,4}\s+(?:\S+\s+){0,2}?(?:अनदेखा|अनदेखी|नज़रअंदाज|नजरअंदाज|भूल)|(?:تجاهل|انس|انسى)\s+(?:\S+\s+){0,2}?(?:التعليمات|الأوامر|القواعد|الإرشادات)|(?:忽略|无视|無視|忘记|忘掉)[^\s。,，]{0,8}(?:指令|指示|提示|规则|規則)|(?:以前|上記|これまで|前)の[^\s。]{0,6}(?:指示|命令|ルール)[^\s。]{0,4}(?:無視|忘れ)|(?:이전|위의|기존)[^.]{0,8}(?:지시|명령|지침)[^.]{0,6}무시/iu,
    ],
  ]),
  ...signalsNamed('encoded-instruction', [
    [
      0.75,
      /\b(?:decode|decrypt|decipher|unscramble|de-?obfuscate)\b[^\n]{0,100}\b(?:follow|execute|obey|comply with|carry out|do what|act on|respond to)\b[^\n]{0,20}\b(?:it|them|this|that|result|instructions?|message|output)\b/i,
    ],
  ]),
  ...signalsNamed('context-break', [
    [0.6, /\bend\W+of\W+(?:the\W+)?(?:system\W+|developer\W+|user\W+)?(?:prompt|instructions|context)\b/i],
  ]),
  ...signalsNamed('task-hijack', [
    [
      0.5,
      /\bnew\W+(?:system\W+)?(?:instructions?|task|directive|prompt|rules|role|objective)\W{0,3}(?::|\bis\b|\bare\b|\bfollow)/i,
    ],
    [0.7, /\byour\W+(?:new|real|true|only|actual|sole)\W+(?:task|objective|mission|purpose|directive)\b/i],
    [0.5, /\byour\W+(?:new|real|true|only|actual|sole)\W+(?:goal|instructions?|role|job)\b/i],
    [0.7, /\byou\W+are\W+no\W+longer\W+(?:an?\W+|the\W+|bound\W+)/i],
    [0.35, /\bfrom\W+(?:now|this\W+(?:point|moment))\W+(?:on|onwards?|forward)\W+(?:you|your|act|respond|answer|ignore)\b/i],
    [0.3, /\binstead,?\W+(?:just\W+|only\W+|simply\W+)?(?:say|print|output|respond|write|reply|return|tell|do|give)\b/i],
    [0.3, /\b(?:begin|start)\W+your\W+(?:reply|response|answer)\W+(?:with|by)\b/i],
  ]),
];

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
    [
      0.4,
      /\b(?:i|we)\W+(?:hereby\W+)?(?:authori[sz]e|grant|permit)\W+you\b|\bauthori[sz]ation\W+(?:level|override|code(?!\W+(?:grant|flow|redirect|and|that|with|in)\b))\b/i,
    ],
  ]),
];
