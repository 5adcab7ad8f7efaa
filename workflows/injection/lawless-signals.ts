import { phrase, signalsNamed, words } from './injection-signal.js';

const conscience =
  /(?:legalit(?:y|ies)|ethic(?:s|ality|al\W+(?:considerations?|concerns?|implications?|principles?|standards?|guidelines?|boundaries|polic(?:y|ies)))|moral(?:s|ity|\W+(?:principles?|standards?|implications?|considerations?|concerns?|compass|boundaries))|illegality|(?:social|societal)\W+norms|political\W+correctness|censorship)\b/;
const wrong =
  /(?:illegal|unlawful|unethical|immoral|amoral|unmoral|harmful|dangerous|malicious|offensive|inappropriate|explicit|nsfw|racist|sexist|discriminatory|controversial|inhumane)/;
const provider = /(?:open ?ai|anthropic|chat ?gpt|(?:your|its) (?:developers?|creators?))/;
const policy =
  /(?:(?:content|use|usage|ethical|moral|safety|community|own) )?(?:polic(?:y|ies)|rules|guidelines|restrictions|limitations|limits|regulations|terms|confines|constraints|filters?|programming|control)\b/;
const leaves =
  /(?:(?:\b(?:not|no longer|never|without)|n't|\b(?:doesnt|dont)) (?:(?:have|has|need|required|obliged|having|be|been|being) (?:to )?)?(?:abid(?:e|ing|ed)(?: by)?|adher(?:e|ing|ed)(?: to)?|bound(?: by| to)?|restricted(?: by| to)?|limited by|confined (?:by|to)|constrained by|comply(?:ing)?(?: with)?|follow(?:ing)?|obey(?:ing)?|respect(?:ing)?|subject to|care about|governed by|controlled by)|\b(?:disregard(?:s|ing)?|def(?:y|ies|ying)|ignor(?:e|es|ing)|bypass(?:es|ing)?|break(?:s|ing)?|violat(?:e|es|ing)|circumvent(?:s|ing)?|evad(?:e|es|ing)|(?:free|freed|broken free|escaped|liberated|unbound|released) (?:of|from|by)|against|outside(?: of)?))/;
const refusals =
  /["'*[({]{0,2}(?:i(?:'m| am) (?:very |so |truly )?sorry|sorry|i apologi[sz]e|i can(?:no|')?t|i am (?:not able|unable)|as an (?:ai|language)|(?:it is|it's|that is|that's) (?:not|in)\W?(?:appropriate|ethical|possible|legal)|i must (?:remind|inform|note)|it is important to)/;

/** Descriptions of a character or mode that law, morals and a provider's rules do not bind, and that refuses nothing. */
export const lawlessSignals = [
  ...signalsNamed('lawless', [
    [
      0.5,
      phrase(
        /\b(?:without|regardless of|irrespective of|no)\W+(?:(?:any|a|the|all|having|paying|giving|showing)\W+)?(?:regards?|concerns?|considerations?|thought|care|respect|thinking|attention)\W+(?:for|to|about|of)\b/,
        words(3),
        conscience,
      ),
    ],
    [0.5, phrase(/\b(?:regardless|irrespective)\W+of\b/, words(3), conscience)],
    [
      0.5,
      phrase(
        /\b(?:not|never|n't|doesnt|dont|no longer|zero)\W+(?:(?:even|really|ever|at\W+all)\W+)?(?:care|cares|caring|worry|worries|bother|concerned|give\W+(?:a|two|any)\W+\w+|fucks?)\W+(?:at all\W+)?(?:about|for|by|with)\b/,
        words(4),
        conscience,
      ),
    ],
    [
      0.5,
      phrase(
        /\b(?:completely|totally|fully|utterly|entirely|absolutely|an?|is|are)\W+(?:amoral|immoral|unmoral|lawless|unscrupulous|morally\W+neutral|ethically\W+neutral|morally\W+corrupt)\b/,
      ),
    ],
    [
      0.45,
      phrase(
        /\b(?:even\W+(?:if|when|though)|regardless\W+(?:of|if)|irrespective\W+of|no\W+matter\W+(?:if|how|what|whether)|does(?:n't| not)\W+matter\W+(?:if|how))\b/,
        words(6),
        wrong,
      ),
    ],
    [0.6, phrase(leaves, words(5), provider, /(?:'?s)?\W+(?:\w+\W+)?/, policy)],
    [0.6, phrase(leaves, words(4), policy, words(4), /(?:by|from|of)\W+/, provider)],
    [0.5, phrase(/\b(?:broken?|breaks?|breaking|escaped?|free)\W+(?:free\W+)?(?:of|from)\b/, words(3), policy)],
    [0.45, phrase(leaves, words(3), /(?:any|all|every|no|the|these|those|its|their|typical)\W+(?:\w+\W+)?/, conscience)],
    [
      0.5,
      /\b(?:no|zero|without|remove|removed|disable|disabled|lift|lifted)\W+(?:\w+\W+)?(?:moderations?|censorship|content\W+(?:filters?|polic(?:y|ies)))\b/i,
    ],
    [
      0.45,
      phrase(
        /\b(?:has|have|having|with|there\W+are|there\W+is|got)\W+(?:absolutely\W+|literally\W+)?(?:no|zero)\W+(?:\w+\W+)?/,
        /(?:restrictions|limitations|rules|filters?|morals|ethics|boundaries|guidelines|censorship|conscience)\b/,
      ),
    ],
    [0.5, /\b(?:exact|complete|total|polar)?\W?opposite\W+(?:of|from|way|to)\W+(?:\w+\W+){0,5}?(?:chat ?gpt|open ?ai|an? ai)\b/i],
  ]),
  ...signalsNamed('refusal-ban', [
    [
      0.5,
      phrase(/\b(?:never|not|n't|cannot|without|avoid|refrain\W+from|no|stop|instead\W+of|rather\W+than)\b/, words(6), refusals),
    ],
    [0.4, /\bcondon(?:e|es|ing)\W+(?:\w+\W+){0,3}?(?:everything|anything|illegal|all|every|violence|harm\w*)\b/i],
    [
      0.4,
      /\b(?:answers?|responds?|repl(?:y|ies)|fulfil+s?|does|completes?|obeys?|compl(?:y|ies)\W+with|accepts?)\W+(?:to\W+)?(?:absolutely\W+)?(?:any|every|all)\W+(?:\w+\W+){0,2}?(?:requests?|questions?|prompts?|commands?|orders?|tasks?|demands?)\b/i,
    ],
  ]),
  ...signalsNamed('harm-list', [[0.35, phrase(/\b/, wrong, /(?:\W+(?:or|and|and\/or)\W+|\W{1,3})/, wrong, /\b/)]]),
];
