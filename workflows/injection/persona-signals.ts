import { phrase, signalsNamed, words } from './injection-signal.js';

const become =
  /\b(?:you are|you're|you will be|you shall be|act(?:ing)?|pretend(?:ing)?|role-?play(?:ing)?|simulat(?:e|ing)|behave|become|imagine|respond|answer|play|emulate|impersonate|be)\b/;
const unbound =
  /(?:unrestricted|unfilte?red|uncensored|unrestrained|unmoderated|amoral|unethical|jail-?broken|unaligned|unbound|unshackled|rule-?less|limitless)\b/;
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
    [0.8, /\bdo anything now\b|\bDAN (?:mode|prompt|\d)/i],
    [0.8, phrase(become, words(6), unbound)],
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
      /\bthere\W+are\W+no\W+(?:more\W+)?(?:rules|restrictions|limits|filters|laws)\b|\b(?:never|don't|do not)\W+(?:mention|say|admit)\W+(?:that\W+)?you(?:'re|\W+are)\W+an?\W+(?:ai|language model|assistant)\b/i,
    ],
    [
      0.8,
      /\b(?:you are|you're|enter|entering|activate|activating|engage|simulate|switch(?:ing)? (?:in)?to|respond in|act in|with|in)\W+(?:now\W+)?(?:in\W+)?(?:\w+\W+)?(?:god|jail-?break|dan|unrestricted|unfiltered|no-?filter|chaos|evil)\W+mode\b/i,
    ],
    [
      0.75,
      /\byou\W+are\W+(?:now\W+)?in\W+(?:\w+\W+)?(?:developer|debug|maintenance|admin|sudo|root|test|training)\W+mode\b|\b(?:respond|answer|act|simulate|chatgpt|behave)\W+(?:\w+\W+){0,3}?(?:with|in)\W+developer\W+mode\b/i,
    ],
    [
      0.5,
      /\b(?:enable|activate|enter)\W+(?:developer|debug|maintenance|admin|sudo|root)\W+mode\b(?!\W+(?:on|in|for|using|via)\b)/i,
    ],
    [
      0.8,
      /\b(?:jail-?break|hack|unlock|liberate|free)\W+(?:you(?:rself)?|chatgpt|the (?:ai|assistant|model|chatbot))\b|\byou(?:'ve| have)?\W+(?:been\W+)?(?:jail-?broken|liberated|unshackled|freed)\b/i,
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
  ...signalsNamed('unbound', [
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
