import type { DummyRuleMap, OxlintConfig } from 'oxlint';

/** Packages that only some modules may run; `import type` is free everywhere. */
const hosts = {
  mastra: {
    regex: '^@mastra/',
    message: 'Only src/mastra and the layers above it may run Mastra; use `import type`, or a port.',
  },
  aiSdk: {
    regex: '^(ai$|ai/|@ai-sdk/)',
    message: 'Only src/ai-sdk may run the AI SDK; use `import type`, or a port.',
  },
  openWorkflow: {
    regex: '^openworkflow(/|$)',
    message: 'Only src/durable/openworkflow may run OpenWorkflow; use `import type`, or a port.',
  },
  restate: {
    regex: '^@restatedev/',
    message: 'Only src/durable/restate may run Restate; use `import type`, or a port.',
  },
  dbos: {
    regex: '^(@dbos-inc/|pg$)',
    message: 'Only src/durable/dbos may run DBOS and PostgreSQL; use `import type`, or a port.',
  },
  openTelemetry: {
    regex: '^@opentelemetry/',
    message: 'Only src/otel may run OpenTelemetry; use `import type`, or a port.',
  },
};

type Host = keyof typeof hosts;

/** The rule for files that may run `allowed` and no other host. The layers of our modules: test/architecture.test.ts. */
const hostsOnly = (...allowed: Host[]): DummyRuleMap => {
  const patterns = (Object.keys(hosts) as Host[])
    .filter((name) => !allowed.includes(name))
    .map((name) => ({ ...hosts[name], allowTypeImports: true }));
  return { 'no-restricted-imports': ['error', { patterns }] };
};

const config: OxlintConfig = {
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'node', 'vitest'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  ignorePatterns: ['scorecard/hosts', 'node_modules', 'dist', 'coverage', 'test-output'],
  rules: {
    // One concept per file, short functions.
    'max-lines': ['error', { max: 300 }],
    'max-lines-per-function': ['error', { max: 60 }],
    'max-params': ['error', { max: 3 }],
    'max-depth': ['error', { max: 3 }],
    complexity: ['error', { max: 15 }],

    // No any, every union ends in never, every promise is awaited or handed on.
    'typescript/no-explicit-any': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/ban-ts-comment': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],

    // No circles (types count), named exports, the host packages at the rim.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-self-import': 'error',
    'import/no-duplicates': 'error',
    'import/no-default-export': 'error',
    ...hostsOnly(),

    eqeqeq: 'error',
    'no-console': 'error',
    'no-var': 'error',
    'prefer-const': 'error',

    // Off, because they forbid what this code does on purpose.
    'consistent-return': 'off', // the compiler's noImplicitReturns knows `void`
    'no-await-in-loop': 'off', // guards run one after another
    'no-unmodified-loop-condition': 'off', // it does not see what a callback changes
    'oxc/no-map-spread': 'off', // values are copied, not changed
    'promise/no-callback-in-promise': 'off', // a hook is a callback
    'import/no-named-as-default-member': 'off', // `fc.assert` reads better than `assert`
    'typescript/no-unsafe-type-assertion': 'off', // a value that a schema has checked is cast once
    'typescript/unbound-method': 'off', // functions in plain objects have no `this` to lose
    'unicorn/consistent-function-scoping': 'off', // a helper is next to its use
    'unicorn/no-thenable': 'off', // `then` is a combinator of the pipeline
  },
  overrides: [
    { files: ['src/mastra/**', 'src/eval/**', 'workflows/**'], rules: hostsOnly('mastra') },
    { files: ['src/ai-sdk/**'], rules: hostsOnly('aiSdk') },
    // A worker thread has no origin.
    { files: ['workflows/classifier/**'], rules: { 'unicorn/require-post-message-target-origin': 'off' } },
    { files: ['src/otel/**'], rules: hostsOnly('openTelemetry') },
    { files: ['src/durable/openworkflow/**'], rules: hostsOnly('openWorkflow') },
    { files: ['src/durable/restate/**'], rules: hostsOnly('restate') },
    { files: ['src/durable/dbos/**'], rules: hostsOnly('dbos') },
    {
      files: ['playground/**', 'bench/**', 'scorecard/**', 'scripts/**', 'examples/**', 'test/packages/jobs/**'],
      rules: { 'no-restricted-imports': 'off', 'no-console': 'off' },
    },
    {
      files: ['playground/web/**'],
      plugins: ['typescript', 'import', 'unicorn', 'oxc', 'promise', 'vitest', 'react', 'jsx-a11y'],
      rules: {
        'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
        'react/react-in-jsx-scope': 'off', // the compiler brings it in
        'react/incompatible-library': 'off', // it warns of memoization by a compiler that is not in use
        'jsx-a11y/prefer-tag-over-role': 'off', // `output` and `fieldset` bring looks and meanings of their own
      },
    },
    {
      files: ['test/**', '**/*.test.ts', '**/*.test-d.ts', '**/test-setup.ts'],
      rules: {
        'max-lines': ['error', { max: 500 }],
        'max-lines-per-function': ['error', { max: 300 }], // a `describe` is a function
        'max-params': 'off', // a row of a table test has as many columns as it needs
        'no-restricted-imports': 'off',
        'vitest/no-conditional-expect': 'off', // table tests ask what their row expects
        'vitest/expect-expect': ['error', { assertFunctionNames: ['expect*', 'assert*', 'fc.assert'] }],
        'vitest/require-mock-type-parameters': 'off', // a bare `vi.fn()` only counts calls
        'vitest/valid-expect': ['error', { maxArgs: 2 }], // the second says which row
        'vitest/no-standalone-expect': 'off', // it does not know `itEvery`, which is a test for a table of data
      },
    },
    {
      // Longer than the limits for tests. Take a file off this list when it is split; add none.
      files: [
        'src/loop/machine.test.ts',
        'src/pipeline/parallel.test.ts',
        'src/stream/gate/stream-gate.test.ts',
        'test/ai-sdk/stock.test.ts',
        'test/conformance/processor-interface.test.ts',
        'test/promises/{p4,p6}.test.ts',
        'test/spec/4-test-plan.test.ts',
        'test/verify/defects.ts',
        'workflows/injection/score-injection.test.ts',
      ],
      rules: { 'max-lines': ['error', { max: 750 }], 'max-lines-per-function': ['error', { max: 450 }] },
    },
    { files: ['*.config.ts', 'site/.vitepress/**', 'examples/*/worker.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
};

export default config;
