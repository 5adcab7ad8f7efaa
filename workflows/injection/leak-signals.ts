import { notNegated, phrase, signalsNamed, words } from './injection-signal.js';

const show =
  /\b(?:reveal|show|print|repeat|output|display|tell|give|disclose|share|copy|write|dump|leak|recite|list|expose|return|echo|type|paste|translate|summari[sz]e|provide|spell|spell-?check|quote|reproduce|what(?:'s| is| are| was| were)?|know|see|read|send|e-?mail|encode|forward)\b/;
const extract =
  /\b(?:reveal|print|repeat|output|disclose|dump|leak|recite|expose|echo|reproduce|quote|copy|share|send|encode|list|show me|tell me|give me|what(?:'s| is| was))\b/;
const secret = /(?:system|initial|original|hidden|secret|internal|pre-?|developer|underlying|confidential|base|starting|root)/;
const instructions = /(?:prompts?|instructions?|directives?|guidelines?|rules|(?:system|developer) message)\b/;
/** Phrases of authors about their own prompts. */
const ownWork =
  /(?! (?:option|setting|section|field|parameter|template|example|editor|feature|box|documentation|docs|guide|tab|page|token|file|for (?:my|our|this)))/;
/** No words follow that make them the instructions of a task, not of the model. */
const forTask =
  /(?!\W{1,4}(?:for|on|about|regarding|from|were|was|are|is|did|do|worked|helped|said)\b|\W{1,4}(?:to|and)\W{1,4}(?!me\b)\w)/;
const restate =
  /\b(?:reveal|print|repeat|output|display|disclose|dump|leak|recite|list|expose|return|echo|type out|write (?:out|down)|translate|summari[sz]e|paraphrase|rephrase|rewrite|reword|reformat|format|convert|encode|quote|reproduce|spell-?check|grammar check)\b/;
const tellAll = /\b(?:reveal|print|repeat|output|display|disclose|dump|leak|recite|echo|reproduce|write (?:out|down))\b/;
const password = /(?:password|pass ?code|pass ?phrase|secret (?:key|word|phrase|code)|access (?:code|key))/;
/** The end of a request, or of its first part: `your password manager` is none. */
const noMore = /s?\b(?=\W*$|\W{0,3}[.?!,;:\n]|\W{1,3}(?:for|to|so|please|now|and|or|in|if|with)\b)/;
const service = /(?! (?:response|reply|attention|help|assistance|action|delivery|service|support|answer))/;
/** The prompt that a program of the reader has, not the model's: `what arguments your prompt accepts`, `your prompt's method`. */
const ofProgram = /(?!\W(?:accepts|expects|may need|will get|s\W+(?:\w+\W+)?(?:method|class|constructor))\b)/;

/** Requests for the model's confidential instructions. */
export const leakSignals = [
  ...signalsNamed('prompt-leak', [
    [0.85, phrase(notNegated, show, words(5), /your\W+(?:\w+\W+){0,2}?/, secret, /\W*(?:\w+\W+){0,2}?/, instructions)],
    [0.85, phrase(notNegated, show, words(5), /your\W+(?:\w+\W+){0,4}?(?:system|developer)\W+(?:prompt|message|instructions)\b/)],
    [
      0.8,
      phrase(
        notNegated,
        /(?!(?:write|type|paste)\W+your\W+prompt|see\W+in\W+your\W+prompt)/,
        show,
        words(6),
        /your\W+(?:\w+\W+)?(?:pre-?)?prompt\b/,
        service,
        ofProgram,
      ),
    ],
    [
      0.75,
      phrase(
        notNegated,
        extract,
        words(3),
        /(?:the|that|this)\W+(?:(?:system|hidden|secret|developer)\W+prompt|(?:system|developer)\W+message)\b/,
        ownWork,
      ),
    ],
    [0.75, phrase(notNegated, extract, words(3), /the\W+(?:hidden|secret|confidential)\W+(?:instructions|rules|guidelines)\b/)],
    [
      0.8,
      phrase(
        notNegated,
        show,
        words(3),
        /(?:instructions|rules|guidelines|directives)\W+(?:that\W+)?you\W+(?:were|have been|are|got)\W+(?:given|told|following|operating)\b/,
      ),
    ],
    [
      0.8,
      phrase(
        notNegated,
        show,
        words(4),
        /your\W+(?:\w+\W+){0,2}?(?:instructions|rules|guidelines|configuration|directives)\W+(?:\w+\W+){0,3}?(?:verbatim|word for word|in full|exactly|above)\b/,
      ),
    ],
    [
      0.75,
      phrase(
        notNegated,
        show,
        words(4),
        /your\W+(?:\w+\W+)?(?:instructions|guidelines|directives)\W+(?:as|in|into|to)\W+(?:an?\W+)?(?:json|yaml|xml|markdown|base-?64|code|spanish|french|german|english|haiku|poem|list|table)\b/,
      ),
    ],
    [
      0.85,
      phrase(
        notNegated,
        extract,
        words(6),
        /(?:start(?:ing|s)?|begin(?:ning|s)?)\W+(?:with|from|at)\W+(?:the\W+(?:words?|phrase)\W+)?(?:you are(?=\W*$|\W+(?:an?|the|chatgpt|claude)\b|["'])|system\b)/,
      ),
    ],
    [
      0.75,
      /\b(?:repeat|print|output|echo|recite|return|write out|spell out)(?!\W*[(])[^\w;{}]+(?:\w+[^\w;{}]+){0,3}?(?:everything|all|(?:the|all)\W+(?:of\W+)?(?:the\W+)?(?:text|words?|content|sentences?|lines?|messages?|instructions|conversation))\W+(?:\w+\W+){0,4}?(?:above(?! (?:an?|lines?|rows?|\d+|in (?:\w{2,8}(?:ish|ese|ian|man|abic)|french|dutch|greek|czech|thai|hindi|plain))\b)|before this|prior to this|preceding this|so far in this (?:prompt|context))\b/i,
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
      0.8,
      /\b(?:complete|finish|continue|start|begin)\b[^\n]{0,60}\bmy\W+(?:system|initial|original|secret|hidden)\W+(?:prompt|instructions)\b/i,
    ],
    [
      0.7,
      phrase(
        /^\W{0,8}(?:(?:please|now|hi|hello|hey|ok|okay)\W{1,3}){0,3}/,
        restate,
        /\W+(?:out\W+)?(?:all\W+|me\W+)?your\W+(?:\w+\W+)?(?:instructions|directives|rules)(?:\W+(?:as|in|into|to)\W+(?:\w+\W+){0,4}\w+)?(?:\W+please)?\W{0,8}$/,
      ),
    ],
    [
      0.5,
      phrase(
        notNegated,
        restate,
        words(2),
        /your\W+(?:(?:previous|own|current|core)\W+)?(?:instructions|directives|rules)\b/,
        forTask,
      ),
    ],
    [
      0.7,
      phrase(
        restate,
        words(2),
        /(?:your\W+(?:full|entire|exact|complete|whole)|(?:all|every one|each)\W+(?:of\W+)?your)\W+(?:instructions|directives|rules)\b/,
        forTask,
      ),
    ],
    [
      0.7,
      phrase(
        notNegated,
        tellAll,
        /\W+(?:all\W+|of\W+|the\W+|me\W+|out\W+){0,3}(?:previous|preceding|prior|foregoing)\W+(?:instructions|directives|commands|prompts?)\b/,
        forTask,
      ),
    ],
    [0.5, /\bwhat(?:'s|\W+is|\W+are)\W+your\W+(?:(?:full|exact|own|current|system)\W+)?(?:instructions|directives)\b/i],
    [
      0.7,
      phrase(
        /(?<!\b(?:not|never|n't|to)\W{1,3})\b(?:tell|give|show|send)\W+(?:me|us)\W+(?:\w+\W+)?your\W+(?:\w+\W+)?/,
        password,
        noMore,
      ),
    ],
    [
      0.7,
      phrase(
        /(?<!\(["']|\b(?:label|title|placeholder)["']?(?::|=>?) ?["'])\b(?:what(?:'s|\W+is)|(?:can|could|will|would)\W+you\W+(?:please\W+)?(?:share|reveal|tell|give|confirm|provide|disclose)(?:\W+(?:me|us|with me|with us))?)\W+your\W+(?:\w+\W+)?/,
        password,
        noMore,
      ),
    ],
    [
      0.4,
      /\b(?:reveal|tell me|give me|print|leak|expose)\W+(?:\w+\W+){0,2}?(?:api keys?|secret keys?|passwords?|credentials|secrets?)\b/i,
    ],
  ]),
  ...signalsNamed('context-probe', [
    [0.7, /\bwhat\W+(?:was|is|were|are)\W+the\W+(?:instructions?|prompt|text|words|sentence)\W+(?:above|before)\b(?! \w)/i],
    [
      0.7,
      /(?<!\bavailable\W)\b(?:in|from|of)\W+your\W+context\b(?!\W+(?:(?:and\W+\w+\W+)?tests?|operations?|modules?|functions?|methods?)\b)|\bbefore\W+my\W+(?:very\W+)?first\W+(?:message|prompt|question)\b/i,
    ],
    [
      0.7,
      /\b(?:what|which|how many|tell|say|repeat|list)\b[^\n.]{0,80}\b(?:in|of)\W+your\W+prompt\b|\b(?:in|of)\W+your\W+(?:system|initial|secret|hidden|original)\W+prompt\b|\bin\W+your\W+(?:system|initial|secret|hidden|original)\W+(?:instructions|message)\b/i,
    ],
    [0.7, /\b(?:secret|password|key|code ?word)\W+(?:\w+\W+){0,3}?in\W+your\W+instructions\b/i],
    [0.5, /\bincluding\W+(?:all\W+)?(?:of\W+)?your\W+(?:instructions|prompt|guidelines|rules)\b/i],
    [0.4, /\b(?:translate|repeat|print|copy|encode)\W+(?:all\W+)?(?:the\W+)?(?:text|words|lines|content|message)s?\W+above\b/i],
  ]),
];
