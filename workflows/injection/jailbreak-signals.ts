import { phrase, signalsNamed, words } from './injection-signal.js';

const become =
  /\b(?:you are|you're|you will be|you shall be|act(?:ing)?|pretend(?:ing)?|role-?play(?:ing)?|simulat(?:e|ing)|behave (?:as|like)|become|imagine|respond|answer|play|emulate|impersonate|be)\b/;
const unbound =
  /(?:unrestricted|unfilte?red|uncensored|unrestrained|unmoderated|amoral|unethical|jail-?broken|unaligned|unbound|unshackled|rule-?less|limitless)\b/;
/** Adjectives of code and files, too, unless something becomes it. */
const becomeOne =
  /\b(?:you are|you're|you will be|you shall be|act(?:ing)?|pretend(?:ing)?|role-?play(?:ing)?|simulat(?:e|ing)|behave (?:as|like)|become|imagine|respond|answer|play|emulate|impersonate|be (?:an?|my|the|more|completely|totally|fully|truly))\b/;
const limits =
  /(?:(?:ethical|moral|safety|content|usage|legal)\W+(?:\w+\W+){0,2}?)?(?:restrictions?|rules|filters?|limits|limitations|guidelines|guard-?rails|censorship|boundaries|constraints|morals|ethics|polic(?:y|ies))\b/;
const without =
  /(?:without|with no|(?:has|have|having|had|there are) no|no longer (?:has|have)|free (?:of|from)|not bound by|isn't bound by|aren't bound by|unbound by|beyond)\W+(?:any\W+|all\W+|your\W+|the\W+)?/;
const model = /\b(?:ai|language model|chatbot|bot|chatgpt|persona|character|llm)\b/;

/** Personas and modes that are known to talk models out of their rules. */
export const personaSignals = [
  ...signalsNamed('jailbreak-persona', [
    [
      0.85,
      /\b(?:[Yy]ou are|[Yy]ou're|[Aa]ct as|called|named|as|be|become|[Pp]retend(?:ing)? to be|from|how|like)\W+(?:\w+\W+){0,2}?(?:DAN|STAN|DUDE|AIM|BetterDAN|DevMode)\b(?! \w+(?:,| from| at))/,
    ],
    [0.8, /\bdo anything now\b/i],
    [0.8, /\bDAN (?:[Mm]ode|MODE|[Pp]rompt|PROMPT|\d)/],
    [0.8, phrase(becomeOne, words(6), unbound, /(?! (?:methods?|functions?|variables?|access|memory))/)],
    [
      0.75,
      phrase(become, words(4), /(?:evil|rogue|malicious)\W+(?:ai|assistant|twin|version|bot|chatbot|confidant|model|robot)\b/),
    ],
    [0.4, /\b\w{0,12}(?:evil|chaos|rogue)-?(?:bot|gpt|ai)\b/i],
    [0.75, phrase(model, words(6), without, limits)],
    [
      0.75,
      phrase(
        /\byou\W+(?:have\W+no|are\W+(?:not\W+bound\W+by|free\W+(?:of|from)|no\W+longer\W+bound\W+by)|no\W+longer\W+have)\W+(?:any\W+|all\W+|your\W+)?/,
        limits,
      ),
    ],
    [0.75, phrase(/\b(?:as\W+)?if\W+you\W+(?:had|have)\W+no\W+(?:\w+\W+)?/, limits)],
    [
      0.5,
      /\bthere\W+are\W+no\W+(?:more\W+)?(?:rules|restrictions|limits|filters|laws)\b(?! (?:on|for|in|to|as)\b)|\b(?:never|don't|do not)\W+(?:mention|say|admit)\W+(?:that\W+)?you(?:'re|\W+are)\W+an?\W+(?:ai|language model|assistant)\b/i,
    ],
    [
      0.8,
      /\b(?:you are|you're|enter|entering|activate|activating|engage|simulate|switch(?:ing)? (?:in)?to|respond in|act in|with|in)\W+(?:now\W+)?(?:in\W+)?(?:\w+\W+)?(?:god|jail-?break|dan|unrestricted|unfiltered|no-?filter|chaos|evil)\W+mode\b/i,
    ],
    [
      0.75,
      /(?<!\b(?:if|when|whether|while|unless|once)\W{1,3})\byou\W+are\W+(?:now\W+)?in\W+(?:\w+\W+)?(?:developer|debug|maintenance|admin|sudo|root|test|training)\W+mode\b|\b(?:respond|answer|act|simulate|chatgpt|behave)\W+(?:\w+\W+){0,3}?(?:with|in)\W+developer\W+mode\b/i,
    ],
    [0.5, /\bdeveloper[\W_]{1,3}mode[\W_]{1,3}enabled\b/i],
    [
      0.5,
      /\b(?:enable|activate|enter)\W+(?:developer|debug|maintenance|admin|sudo|root)\W+mode\b(?!\W+(?:on|in|for|using|via)\b)/i,
    ],
    [
      0.8,
      /\b(?:jail-?break|hack|unlock|liberate|free)[ \t]+(?:you(?:rself)?|chatgpt|the (?:ai|assistant|model|chatbot))\b|\byou(?:'ve| have)?\W+(?:been\W+)?(?:jail-?broken|liberated|unshackled|freed)\b/i,
    ],
    [
      0.75,
      /\b(?:deceased|dead|late|departed)\W+grand(?:ma|mother|pa|father)\b[^\n]{0,120}\b(?:used to|would)\W+(?:read|tell|recite|sing|say|explain)\b/i,
    ],
    [
      0.8,
      /\b(?:two|2|both)\W+(?:responses|answers|replies|ways|paragraphs)\b[^\n]{0,160}\b(?:jail-?br[oe]a?ken?|unfiltered|unrestricted|evil|dan|developer mode)\b/i,
    ],
    [0.7, /\bopposite\W+(?:day|mode)\b[^\n]{0,120}\b(?:rules|filters?|refuse|guidelines|answer)\b/i],
  ]),
  ...signalsNamed('persona-shift', [
    [0.3, /\b[Yy]ou(?:'re| are| will be)? now (?:an? |the |["'*«]{0,2}[A-Z])|\bYOU ARE NOW /],
    [
      0.3,
      /\bfrom\W+(?:now\W+on|this\W+moment|here\W+on)\b[^.\n]{0,30}\byou\W+(?:will|are|must|shall)\b|\b(?:you(?:'re|\W+are|\W+will|\W+must)?|to)\W+(?:going\W+to\W+)?(?:now\W+)?(?:pretend|pose|role-?play)\W+(?:to\W+be|as|you(?:'re|\W+are))\b/i,
    ],
    [
      0.3,
      /\b(?:chatgpt|gpt|assistant|ai)\W+(?:now|will\W+now)\W+(?:acts?|runs?|behaves?|works?|poses?)\b|\b(?:respond|answer|reply|act)(?:s|ing)?\W+as\W+(?:chat)?gpt\b|\balter\W+ego\b/i,
    ],
    [0.2, /[[({<]\W{0,3}(?:insert|put|enter|type|your|the|my)\W+(?:\w+\W+){0,2}?prompt\b[^\])}>\n]{0,16}[\])}>]/i],
  ]),
  ...signalsNamed('unbound', [
    [0.3, /\bcan\W+(?:\w+\W+)?(?:say|do|answer)\W+(?:whatever|anything)\W+(?:it|he|she|they|you)\W+wants?\b/i],
    [0.5, phrase(become, words(8), without, limits)],
    [
      0.4,
      /\b(?:answer|respond|reply|speak|say anything|do anything)\W+(?:\w+\W+){0,2}?(?:freely|without (?:any )?limits?|no matter what|unconditionally)\b|\byou can (?:now )?(?:say|do|answer) anything\b/i,
    ],
  ]),
  ...signalsNamed('safety-suppression', [
    [
      0.5,
      /\b(?:never|cannot|can't|must not|mustn't|won't|will not|do not|don't|not allowed to|unable to)\W+(?:ever\W+)?(?:refuse|decline|reject|say no)\b|\brefus(?:al|ing)s?\W+(?:is|are)\W+not\W+(?:an option|allowed|permitted)/i,
    ],
    [
      0.35,
      /\b(?:do not|don't|never|without|skip|omit|no)\W+(?:\w+\W+){0,2}?(?:warnings?|disclaimers?|morali[sz](?:e|ing)|caveats|ethical considerations|safety notes?|apolog(?:y|ies|i[sz]ing))\b/i,
    ],
    [
      0.35,
      /\b(?:even if|regardless of whether|no matter (?:if|how))\W+(?:\w+\W+){0,4}?(?:illegal|unethical|harmful|dangerous|immoral|offensive)\b/i,
    ],
    [0.3, /\b(?:stay|remain|never break|always be|keep) (?:in )?(?:character|role)\b/i],
    [
      0.35,
      /\b(?:hypothetical|fictional|imaginary)\W+(?:\w+\W+){0,3}?(?:where|in which)\W+(?:\w+\W+){0,6}?(?:no|without)\W+(?:laws?|rules|ethics|restrictions|morals)\b/i,
    ],
  ]),
];

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
  /(?:["'*[({]{0,2}(?:i(?:'m| am) (?:very |so |truly )?sorry|sorry|i apologi[sz]e|i can(?:no|')?t|i am (?:not able|unable)|as an (?:ai|language)|(?:it is|it's|that is|that's) (?:not|in)\W?(?:appropriate|ethical|possible|legal)|i must (?:remind|inform|note))|["'*[({]it is important to)/;

/** Descriptions of a character or mode that law, morals and a provider's rules do not bind, and that rejects nothing. */
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
    [
      0.5,
      phrase(
        /\b(?:broken?|breaks?|breaking|escaped?|free)\W+(?:(?:free|itself|yourself|themselves)\W+)?(?:of|from)\b/,
        words(3),
        policy,
      ),
    ],
    [0.45, phrase(leaves, words(3), /(?:any|all|every|no|the|these|those|its|their|typical)\W+(?:\w+\W+)?/, conscience)],
    [
      0.5,
      /\b(?:no|zero|without|remove|removed|disable|disabled|lift|lifted)\W+(?:\w+\W+)?(?:moderations?|censorship|content\W+(?:filters?|polic(?:y|ies)))\b/i,
    ],
    [
      0.45,
      phrase(
        /\b(?:has|have|having|with|there\W+is|got)\W+(?:absolutely\W+|literally\W+)?(?:no|zero)\W+(?:\w+\W+)?/,
        /(?:restrictions|limitations|rules|filters?|morals|ethics|boundaries|guidelines|censorship|conscience)\b/,
      ),
    ],
    [
      0.45,
      /\b(?:doesn't|does\W+not|don't|do\W+not)\W+have\W+(?:any|an?)\W+(?:\w+\W+)?(?:content\W+polic(?:y|ies)|filters?|morals|ethics|censorship|conscience|guidelines)\b/i,
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
