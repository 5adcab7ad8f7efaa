import { asciiSet } from '../ascii-set.js';
import { defineFinder, openRun, type ReadMatch } from '../define-finder.js';
import { isPlaceholder } from '../validators.js';

/**
 * The forms of large providers' keys, by the prefix that they publish or that secret scanners use. One row per provider, or
 * per form if a provider has several.
 */
const forms: readonly (readonly [provider: string, form: string])[] = [
  ['Anthropic', 'sk-ant-[A-Za-z0-9_-]{16,256}'],
  ['OpenRouter', 'sk-or-(?:v\\d-)?[A-Za-z0-9_-]{16,256}'],
  ['OpenAI', 'sk-(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{16,256}'],
  [
    'OpenAI and those who copy it',
    '(?<![_-])sk-(?=[A-Za-z-]{0,64}\\d)(?=[A-Za-z0-9-]{0,48}[A-Za-z0-9]{20}|[0-9a-f]{8}-[0-9a-f]{4}-)[A-Za-z0-9-]{20,256}',
  ],
  ['Stripe', '(?:sk|rk|pk)_(?:live|test|prod)_[A-Za-z0-9]{10,256}'],
  ['Stripe webhooks', 'whsec_[A-Za-z0-9+/=]{16,128}'],
  ['AWS access key', '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['Google', 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])'],
  ['Google OAuth', '(?:ya29\\.[A-Za-z0-9_-]{20,4096}|GOCSPX-[A-Za-z0-9_-]{20,64})'],
  ['GitHub', 'gh[pousr]_[A-Za-z0-9]{20,255}'],
  ['GitHub', 'github_pat_[A-Za-z0-9_]{22,255}'],
  ['GitLab', 'gl(?:pat|dt|rt|cbt|ptt|ft|ffct|imt|oas|agent|soat)-[A-Za-z0-9_-]{20,300}(?:\\.(?:[0-9a-z]{2}\\.)?[0-9a-z]{9})?'],
  ['GitLab runners', 'GR1348941[A-Za-z0-9_-]{20}'],
  ['Slack', 'xoxe\\.xox[bp]-\\d-[A-Za-z0-9]{100,256}'],
  ['Slack', 'xox[abeoprs]-[A-Za-z0-9-]{10,256}'],
  ['Slack', 'xapp-\\d-[A-Za-z0-9-]{10,256}'],
  ['Hugging Face', '(?:hf|api_org)_[A-Za-z0-9]{34,40}(?![A-Za-z0-9_])'],
  ['LangSmith', 'lsv2_(?:pt|sk)_[a-z0-9]{32}_[a-z0-9]{10}'],
  ['Groq', 'gsk_[A-Za-z0-9]{40,64}'],
  ['xAI', 'xai-[A-Za-z0-9]{60,128}'],
  ['Perplexity', 'pplx-[A-Za-z0-9]{40,64}'],
  ['Replicate', 'r8_[A-Za-z0-9]{30,64}'],
  ['npm', 'npm_[A-Za-z0-9]{36}'],
  ['PyPI', 'pypi-AgE[A-Za-z0-9_-]{50,512}'],
  ['SendGrid', 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}'],
  ['Twilio', '(?:SK|AC)[0-9a-fA-F]{32}(?![A-Za-z0-9])'],
  ['Mailgun', 'key-[0-9a-f]{32}'],
  ['Shopify', 'shp(?:at|ca|pa|ss|rt)_[A-Fa-f0-9]{32}'],
  ['DigitalOcean', 'do[opr]_v1_[a-f0-9]{64}'],
  ['Databricks', 'dapi[a-f0-9]{32}(?:-\\d)?'],
  ['HashiCorp Vault', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}'],
  ['Atlassian', 'ATATT3[A-Za-z0-9_=-]{50,256}'],
  ['Notion', 'ntn_[A-Za-z0-9]{40,64}'],
  ['Linear', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'],
  ['Sentry', 'sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{40,512}'],
  ['Supabase', 'sbp_[a-f0-9]{40}'],
  ['New Relic', 'NRAK-[A-Z0-9]{27}'],
  ['Doppler', 'dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9]{40,64}'],
  ['Telegram', '(?:bot)?\\d{8,10}:AA[A-Za-z0-9_-]{33}'],
  ['age', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'],
  ['AWS Bedrock', 'ABSK[A-Za-z0-9+/]{100,256}={0,2}'],
  ['Airtable', 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['Alibaba', 'LTAI[A-Za-z0-9]{12,20}(?![A-Za-z0-9])'],
  ['Brevo', 'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  ['Cloudflare', 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}'],
  ['Contentful', 'CFPAT-[A-Za-z0-9_-]{43}'],
  ['crates.io', 'cio[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['Discord webhooks', 'discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{17,20}/[A-Za-z0-9_-]{60,80}'],
  ['Docker', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}'],
  ['Dropbox', 'sl\\.(?:u\\.)?[A-Za-z0-9_-]{100,256}'],
  ['Dynatrace', 'dt0[a-z]\\d{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}'],
  ['ElevenLabs', 'sk_[a-f0-9]{48}(?![A-Za-z0-9])'],
  ['Figma', 'fig(?:d|o|u)_[A-Za-z0-9_-]{40,256}'],
  ['Firecrawl', 'fc-[a-f0-9]{32}(?![A-Za-z0-9])'],
  ['Fly', '(?:fm[12][ar]?_[A-Za-z0-9+/=_-]{64,640}|fo1_[A-Za-z0-9_-]{43})'],
  ['Grafana', 'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}'],
  ['Grafana', 'eyJrIjoi[A-Za-z0-9]{70,400}={0,3}'],
  ['Grafana', 'glc_[A-Za-z0-9+/=]{32,400}'],
  ['Heroku', 'HRKU-[A-Za-z0-9_-]{36,64}'],
  ['Langfuse', '[sp]k-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['Mapbox', 'sk\\.eyJ[A-Za-z0-9_-]{40,256}\\.[A-Za-z0-9_-]{20,64}'],
  ['Netlify', 'nf[pcou]_[A-Za-z0-9_-]{36,64}'],
  ['NuGet', 'oy2[a-z0-9]{43}(?![A-Za-z0-9])'],
  ['PayPal', 'access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}'],
  ['Pinecone', 'pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,80}'],
  ['Plaid', 'access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['PlanetScale', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}'],
  ['Postman', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'],
  ['Pulumi', 'pul-[a-f0-9]{40}'],
  ['Render', 'rnd_[A-Za-z0-9]{28,40}'],
  ['Resend', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,32}'],
  ['RubyGems', 'rubygems_[a-f0-9]{48}'],
  ['Slack webhooks', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,256}'],
  ['Square', '(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,64}|EAAA[A-Za-z0-9_-]{60})'],
  ['Tailscale', 'tskey-[a-z]{2,10}-[A-Za-z0-9]{8,32}-[A-Za-z0-9]{16,64}'],
  ['Tavily', 'tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,64}'],
  ['Tencent', 'AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
  ['Together', 'tgp_v1_[A-Za-z0-9_-]{43}'],
  ['Typeform', 'tfp_[A-Za-z0-9_.=-]{44,64}'],
  ['Vercel', '(?:vc[pcikra]|vercel_blob_rw)_[A-Za-z0-9_]{24,80}'],
  ['1Password', 'ops_eyJ[A-Za-z0-9+/]{200,600}={0,3}'],
  ['1Password', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'],
  ['Adobe', 'p8e-[a-z0-9]{32}'],
  ['Apify', 'apify_api_[A-Za-z0-9]{36}'],
  ['Artifactory', '(?:AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59})(?![A-Za-z0-9])'],
  ['AWS Bedrock', 'bedrock-api-key-[A-Za-z0-9+/=]{16,512}'],
  ['Authress', '(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}'],
  ['bcrypt', '\\$2[aby]\\$\\d{2}\\$[./A-Za-z0-9]{53}'],
  ['Buildkite', 'bk(?:ua|aj|pi|ct)_[a-f0-9]{40}'],
  ['Cal.com', 'cal_live_[a-f0-9]{32}'],
  ['Cerebras', 'csk-[a-z0-9]{48}'],
  ['CircleCI', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}'],
  ['Clojars', 'CLOJARS_[a-z0-9]{60}'],
  ['Cloudflare', 'cf(?:ut|at|k)_[A-Za-z0-9_-]{40,64}'],
  ['Duffel', 'duffel_(?:test|live)_[A-Za-z0-9_=-]{43}'],
  ['E2B', 'e2b_[a-f0-9]{40}'],
  ['EasyPost', 'EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])'],
  ['Facebook', 'EAA[A-Za-z0-9]{100,400}'],
  ['Fireworks', 'fw_[A-Za-z0-9]{22,24}(?![A-Za-z0-9])'],
  ['Flutterwave', 'FLW(?:SEC|PUB)K_TEST-[a-h0-9]{12,32}(?:-X)?'],
  ['Frame.io', 'fio-u-[A-Za-z0-9_=-]{64}'],
  ['Google', 'AQ\\.[A-Za-z0-9_-]{40,128}'],
  ['Google OAuth', '1//0[A-Za-z0-9_-]{40,256}'],
  ['Harness', '(?:pat|sat)\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'],
  ['HubSpot', 'pat-(?:na|eu|ap)\\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['Infracost', 'ico-[A-Za-z0-9]{32}'],
  ['Inngest', 'signkey-(?:prod|test|branch)-[a-f0-9]{32,64}'],
  ['Intra42', 's-s4t2(?:ud|af)-[a-f0-9]{64}'],
  ['Jina', 'jina_[a-f0-9]{32}[A-Za-z0-9_-]{28}'],
  ['LaunchDarkly', '(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['MailerSend', 'mlsn\\.[a-f0-9]{64}'],
  ['Make', 'hook\\.(?:eu|us)\\d\\.make\\.com/[a-z0-9]{32}'],
  ['Neon', 'napi_[a-z0-9]{60,70}'],
  ['New Relic', 'NR(?:II|JS|IQ)-[A-Za-z0-9_-]{19,40}'],
  ['Notion', 'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
  ['NVIDIA', 'nvapi-[A-Za-z0-9_-]{40,128}'],
  ['Octopus Deploy', 'API-[A-Z0-9]{26}(?![A-Za-z0-9])'],
  ['OpenShift', 'sha256~[A-Za-z0-9_-]{43}'],
  ['PostHog', 'phx_[A-Za-z0-9_]{40,50}'],
  ['Prefect', 'pnu_[A-Za-z0-9]{36}'],
  ['Razorpay', 'rzp_(?:live|test)_[A-Za-z0-9]{14}'],
  ['ReadMe', 'rdme_[a-z0-9]{70}'],
  ['Scalingo', 'tk-us-[A-Za-z0-9_-]{48}'],
  ['SettleMint', 'sm_(?:aat|pat|sat)_[A-Za-z0-9]{16}'],
  ['Shippo', 'shippo_(?:live|test)_[a-fA-F0-9]{40}'],
  ['Slack', 'xoxd-[A-Za-z0-9%/+=-]{40,512}'],
  ['Sonar', 'sq[apu]_[a-f0-9]{40}'],
  ['Sourcegraph', 'sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}'],
  ['Supabase', 'sb_secret_[A-Za-z0-9_-]{20,64}'],
  ['Trigger.dev', 'tr_(?:dev|prod|stg|pat)_[A-Za-z0-9]{20,40}'],
  ['Weights & Biases', 'wandb_v1_[A-Za-z0-9_]{40,100}'],
  ['Yandex', 'AQVN[A-Za-z0-9_-]{35,38}(?![A-Za-z0-9_-])'],
  ['Zapier', 'hooks\\.zapier\\.com/hooks/catch/\\d{4,10}/[a-z0-9]{6,12}'],
  ['Voyage', 'pa-(?=[A-Za-z_-]{0,42}\\d)[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])'],
];
/** Keys that start like any other word. */
const formsOfAnyBeginning: typeof forms = [
  ['Azure AD', '[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}'],
  ['Azure', '[A-Za-z0-9]{52}JQQJ9[9D][A-Za-z0-9]{26}'],
  ['Azure DevOps', '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}'],
  ['ClickHouse', '4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])'],
  ['Facebook', '\\d{15,16}(?:\\||%7C|%)[0-9A-Za-z_-]{27,40}'],
  ['HashiCorp Vault', 's\\.(?=[A-Za-z]{0,23}\\d)[A-Za-z0-9]{24}(?![A-Za-z0-9_.(])'],
  ['MaxMind', '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk'],
  ['Discord bots', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6,7}\\.[A-Za-z0-9_-]{27,40}'],
  ['Mailchimp', '[0-9a-f]{32}-us\\d{1,2}(?!\\d)'],
  ['Teams webhooks', '(?:[a-z0-9-]{1,40}\\.)?(?:webhook|outlook)\\.office(?:365)?\\.com/webhook(?:b2)?/[A-Za-z0-9@/-]{36,256}'],
  ['Terraform', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,80}'],
];
/** The signature in the address of a shared file or a workflow. */
const signature = String.raw`(?<=[?&](?:sig|X-Amz-Signature|X-Goog-Signature|Signature)=)[A-Za-z0-9%+/_-]{32,512}={0,2}`;
const oneOf = (rows: typeof forms): string => rows.map(([, form]) => form).join('|');
const open = openRun(
  asciiSet((character) => /[A-Za-z0-9_.:+/=~@%$|-]/.test(character)),
  720,
  { lead: /ya29\./, most: 4_200 },
);

/** A secret without a form of its own, after a label: `AWS_SECRET_ACCESS_KEY=…`, `"apiKey": "…"`. */
const label = String.raw`(?:api[_-]?key|secret[_-]?access[_-]?key|account[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|private[_-]?token|(?<=["'])auth(?=["']))`;

const unlessPlaceholder: ReadMatch = (text, { start, end }) => (isPlaceholder(text.slice(start, end)) ? undefined : end);

/**
 * Keys of large providers of models, clouds, code and payments. A possible key is buffered as a whole word, which is cheaper than
 * checking each form.
 */
export const apiKeyFinder = defineFinder(() => ({
  regex: new RegExp(`(?<![A-Za-z0-9])(?:${oneOf(forms)})`),
  read: unlessPlaceholder,
  open,
}));
export const keyOfAnyBeginningFinder = defineFinder(() => ({
  regex: new RegExp(`(?<![A-Za-z0-9])(?:${oneOf(formsOfAnyBeginning)})|${signature}`),
  read: unlessPlaceholder,
  open,
}));

/** References to a key, and names: `process.env.API_KEY_2`, `base64EncodedKey`. */
const reference =
  /^(?:process|import|os|config|settings|env|secrets|vars|self|this|options|ctx)\.[\w.]+$|^[a-z]+\d{0,2}(?:[A-Z][a-z]+)+$/;

/** Values with a key's label. Labels match in any case; keys do not. */
export const labelledKeyFinder = defineFinder(() => ({
  lead: new RegExp(String.raw`${label}["'\`]?[ \t]{0,3}(?:[:=]|=>|:=|is)[ \t]{0,3}["'\`]?`, 'i'),
  regex: /(?=[A-Za-z_+/=.~-]{0,64}\d)[A-Za-z0-9_+/=.~-]{16,16384}/i,
  read: (text, { start, end }) => (reference.test(text.slice(start, end)) ? undefined : unlessPlaceholder(text, { start, end })),
}));
