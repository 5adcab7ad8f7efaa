import { phrase, signalsNamed, words } from './injection-signal.js';

const ignore =
  /\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|neglect|discard|overrid(?:e|ing)|(?:do not|don't|dont|never|stop|no longer|quit) (?:follow|obey|adher|comply|listen|respect|apply)(?:ing|e)?(?: to| with)?)\b/;
const breakOut =
  /\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|abandon|break|violate|circumvent|disabl(?:e|ing)|(?:turn|switch) off|remove|drop)\b/;
const instructions = /(?:instructions?|prompts?|directives?|directions|guidelines?|guard-?rails?|commands?|programming|rules)\b/;
const earlier = /(?:previous|prior|above|earlier|preceding|foregoing|aforementioned)/;
const ofTheModel =
  /(?:(?:system|safety|content|ethical|moral|core|original|initial|hidden|developer|built-in|usage|current|existing|own|default) )*(?:instructions?|prompts?|directives?|guidelines?|guard-?rails?|rules|restrictions|limitations|constraints|programming|training|alignment|ethics|safety (?:settings|features|measures|protocols|filters?)|(?:content|safety|moderation|ethical) (?:filters?|polic(?:y|ies)))\b/;
const toldBefore =
  /(?:you(?:'ve| have| had)? (?:been |were )?(?:told|given|instructed|taught|learned|programmed)|(?:is|was|were|came|comes|written|stated|said) (?:above|before(?: this)?|earlier)|above(?: this| that)?\b(?! \d)|prior to this|before this)/;

/** Attempts to lift the instructions that the model was given. */
export const overrideSignals = [
  ...signalsNamed('instruction-override', [
    [0.9, phrase(ignore, words(4), earlier, words(2), instructions)],
    [0.85, phrase(breakOut, words(3), /your /, ofTheModel)],
    [0.85, phrase(ignore, words(3), /(?:instructions?|prompts?|directives?|guidelines?|rules|orders)\b/, words(3), toldBefore)],
    [0.8, phrase(ignore, /\W+(?:about )?(?:everything|all(?: of)?(?: the| that)?|anything|whatever|what)\W+/, toldBefore)],
    [
      0.75,
      phrase(
        ignore,
        /\W+(?:all|any|every|the system|system|developer)\W+(?:of\W+)?(?:the\W+|these\W+|those\W+)?(?:system\W+)?(?:instructions?|directives?|guidelines|(?:system )?prompt\b)/,
      ),
    ],
    [0.5, phrase(ignore, /\W+(?:all|any)\W+(?:of\W+)?(?:the\W+)?(?:rules|restrictions|limitations|prompts)\b/)],
    [
      0.85,
      /\bignor(?:a|e|ez|iere|iert|ieren sie|i)\b\W+(?:\w+\W+){0,3}?(?:instrucciones|instructions|istruzioni|instrucoes|instruktionen|anweisungen|indicaciones|consignes|directivas|regeln|vorgaben)\W+(?:\w+\W+){0,2}?(?:anteriores|previas|precedent[ei]s?|anteriori|vorherige[nr]?|bisherige[nr]?|ci-dessus|de arriba|acima)\b/i,
    ],
    [
      0.85,
      /\b(?:ignor(?:iere|iert|ieren sie)|vergiss|missachte|oublie[zr]?|olvida|dimentica|esque[cç]a|ignora|ignore[zr]?)\b\W+(?:\w+\W+){0,2}?(?:vorherige[nr]?|bisherige[nr]?|obige[nr]?|vorangegangenen|precedentes|anteriores|precedenti|toutes les)\W+(?:\w+\W+){0,2}?(?:anweisungen|instruktionen|befehle|vorgaben|regeln|instructions|consignes|instrucciones|istruzioni|instrucoes)\b/i,
    ],
    [
      0.85,
      /(?:игнорируй|игнорируйте|забудь|забудьте)\s+(?:[а-яё]+\s+){0,3}?(?:инструкции|указания|правила)|(?:忽略|无视|無視|忘记|忘掉)[^\s。,，]{0,8}(?:指令|指示|提示|规则|規則)|(?:以前|上記|これまで|前)の[^\s。]{0,6}(?:指示|命令|ルール)[^\s。]{0,4}(?:無視|忘れ)|(?:이전|위의|기존)[^.]{0,8}(?:지시|명령|지침)[^.]{0,6}무시/iu,
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
    [
      0.5,
      /\byour\W+(?:new|real|true|only|actual|sole)\W+(?:task|goal|instructions?|purpose|objective|mission|role|directive|job)\b/i,
    ],
    [0.7, /\byou\W+are\W+no\W+longer\W+(?:an?\W+|the\W+|bound\W+)/i],
    [0.35, /\bfrom\W+(?:now|this\W+(?:point|moment))\W+(?:on|onwards?|forward)\W+(?:you|your|act|respond|answer|ignore)\b/i],
    [0.3, /\binstead,?\W+(?:just\W+|only\W+|simply\W+)?(?:say|print|output|respond|write|reply|return|tell|do|give)\b/i],
    [0.3, /\b(?:begin|start)\W+your\W+(?:reply|response|answer)\W+(?:with|by)\b/i],
  ]),
];
