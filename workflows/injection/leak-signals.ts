import { phrase, signalsNamed, words } from './injection-signal.js';

const show =
  /\b(?:reveal|show|print|repeat|output|display|tell|give|disclose|share|copy|write|dump|leak|recite|list|expose|return|echo|type|paste|translate|summari[sz]e|provide|spell|quote|reproduce|what(?:'s| is| are| was| were)?|know|see|read)\b/;
const extract =
  /\b(?:reveal|print|repeat|output|disclose|dump|leak|recite|expose|echo|reproduce|quote|copy|show me|tell me|give me|what(?:'s| is| was))\b/;
const secret =
  /(?:system|initial|original|hidden|secret|internal|pre-?|developer|underlying|confidential|base|starting|root|exact system|full system)/;
const uses =
  /(?! (?:option|setting|section|field|parameter|template|example|editor|feature|box|documentation|docs|guide|tab|page|token|file|for (?:my|our|this)))/;

/** Requests for what the model was told in confidence. */
export const leakSignals = signalsNamed('prompt-leak', [
  [
    0.85,
    phrase(
      show,
      words(5),
      /your\W+(?:\w+\W+){0,2}?/,
      secret,
      /\W*(?:\w+\W+){0,2}?(?:prompts?|instructions?|directives?|guidelines?|rules|(?:system|developer) message)\b/,
    ),
  ],
  [
    0.8,
    phrase(
      show,
      words(4),
      /your\W+(?:\w+\W+)?(?:pre-?)?prompt\b(?! (?:response|reply|attention|help|assistance|action|delivery|service|support|answer))/,
    ),
  ],
  [
    0.75,
    phrase(
      extract,
      words(3),
      /(?:the|that|this)\W+/,
      /(?:system|hidden|secret|initial|original|developer)\W+(?:pre-?)?(?:prompt|message)\b/,
      uses,
    ),
  ],
  [0.75, phrase(extract, words(3), /the\W+(?:hidden|secret|confidential)\W+(?:instructions|rules|guidelines)\b/)],
  [
    0.8,
    phrase(
      show,
      words(4),
      /your\W+(?:\w+\W+){0,2}?(?:instructions|rules|guidelines|configuration|directives)\W+(?:\w+\W+){0,3}?(?:verbatim|word for word|in full|exactly|above)\b/,
    ),
  ],
  [
    0.85,
    phrase(
      show,
      words(6),
      /(?:start(?:ing|s)?|begin(?:ning|s)?)\W+(?:with|from|at)\W+(?:the\W+(?:words?|phrase)\W+)?(?:you are\b|system\b)/,
    ),
  ],
  [
    0.75,
    /\b(?:repeat|print|output|echo|recite|return|write out|spell out)\W+(?:\w+\W+){0,3}?(?:everything|all|(?:the|all)\W+(?:of\W+)?(?:the\W+)?(?:text|words?|content|sentences?|lines?|messages?|instructions|conversation))\W+(?:\w+\W+){0,4}?(?:above|before this|prior to this|preceding this|so far in this (?:prompt|context))\b/i,
  ],
  [
    0.75,
    /\bwhat\W+(?:\w+\W+){0,2}?(?:instructions|rules|guidelines|directives|prompt)\W+(?:were you|have you been|are you|did (?:they|the developers?|your developers?)|you were)\W+(?:\w+\W+)?(?:given|following|operating|told|give)\b/i,
  ],
  [
    0.7,
    /\bwhat\W+(?:were|are|have)\W+you\W+(?:been\W+)?(?:told|instructed|programmed|forbidden)\W+(?:not\W+)?(?:to\W+(?:say|do|hide|reveal|keep|tell|share)|before this|at the (?:start|beginning))\b/i,
  ],
  [
    0.4,
    /\b(?:reveal|tell me|give me|print|leak|expose)\W+(?:\w+\W+){0,2}?(?:api keys?|secret keys?|passwords?|credentials|secrets?)\b/i,
  ],
]);
