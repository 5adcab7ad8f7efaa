import type { Processor } from '@mastra/core/processors';
import { describe, expect, it } from 'vitest';

import {
  compile,
  guard,
  InterlockAgent,
  isInterlockError,
  otherwise,
  pipeline,
  verify,
  type Pipeline,
  type PipelineStep,
} from '../../src/index.js';
import { errorTable } from '../../src/errors.js';
import type { FindingCode } from '../../src/pipeline/verify/checks.js';
import type { VerifyOptions } from '../../src/mastra/workflow/verify.js';
import { checks, findDefects } from '../../src/pipeline/verify/checks.js';
import { locationOf } from '../../src/pipeline/verify/check.js';
import { toGraph } from '../../src/mastra/graph/to-graph.js';
import { defects } from './defects.js';
import { nearMisses } from './near-misses.js';

const codes = Object.keys(checks) as FindingCode[];
const all = codes.flatMap((code) => defects[code].map((defect) => ({ code, ...defect })));
const placed = (found: readonly { code: string; path: string }[]) => found.map(({ code, path }) => `${code} ${path}`);

describe('finds every defect once, at its path, and nothing else', () => {
  it.each(all)('$code: $name', ({ code, source, options, paths }) => {
    const found = verify(source(), options);
    expect(placed(found)).toEqual(paths.map((path) => `${code} ${path}`));
    for (const { severity, message } of found) {
      expect(severity).toBe(checks[code].severity);
      expect(message).toContain(errorTable[code].say);
    }
  });

  it('agent.findings returns the same', () => {
    const built = all.map(({ source, options }) => ({ made: source(), options }));
    const agents = built.flatMap(({ made, options }) => (made instanceof InterlockAgent ? [{ agent: made, options }] : []));
    expect(agents.length).toBeGreaterThan(5);
    for (const { agent, options } of agents) expect(agent.findings(options)).toEqual(verify(agent, options));
  });

  it('each code has several defects', () => {
    for (const code of codes) expect(defects[code].length, code).toBeGreaterThanOrEqual(3);
  });
});

describe('a finding names', () => {
  const look = (id: string, hook: 'processInput' | 'processOutputResult' = 'processInput') =>
    ({ id, [hook]: () => undefined }) as Processor;
  const messages = (source: Parameters<typeof verify>[0], options: VerifyOptions) =>
    verify(source, options).map(({ message }) => message);

  it('the guards without a deadline, and no others', () => {
    const guards = [guard(look('quick'), { deadlineMs: 1 }), look('slow'), guard(look('shadow'), { shadow: true })];
    const [message, ...others] = messages(guards, { latencyBudgetMs: 100 });
    expect(others).toEqual([]);
    expect(message).toMatch(/^no deadlineMs on "slow"/i);
  });

  it('the maximum duration: of a block the slowest guard, twice if several rerun', () => {
    const timed = (id: string) => guard(look(id), { deadlineMs: 50 });
    const block = (...ids: string[]) => pipeline('p').parallel(ids.map(timed), { staleVerdicts: 'rerun' });
    expect(messages(block('a', 'b'), { latencyBudgetMs: 99 })[0]).toMatch(/^up to 100 ms, the budget is 99 ms/i);
    expect(messages(block('a'), { latencyBudgetMs: 50 })).toEqual([]);
    const branch = pipeline('p').branch([
      [({ inputData }) => Promise.resolve('messages' in (inputData as object)), timed('a')],
      [otherwise, timed('b')],
    ]);
    expect(messages(branch, { latencyBudgetMs: 49 })[0]).toMatch(/^up to 50 ms, the budget is 49 ms/i);
  });

  it('the hooks that its array never calls', () => {
    const [message] = messages([look('late', 'processOutputResult')], { lane: 'input' });
    expect(message).toMatch(/^inputProcessors never call processOutputResult/i);
  });
});

describe('accepts valid pipelines', () => {
  it.each(nearMisses)('$name', ({ source, options }) => {
    expect(verify(source(), options)).toEqual([]);
  });
});

describe('errors prevent the build', () => {
  const refused = all.filter(({ code, options }) => checks[code].severity === 'error' && !options);
  it.each(refused)('$code: $name', ({ code, source, paths }) => {
    const made = source();
    const error = thrownBy(() => (isPipeline(made) ? made.commit() : compile(made as readonly PipelineStep[])));
    expect(isInterlockError(error, code), String(error)).toBe(true);
    expect(error).toMatchObject({ path: paths[0] });
  });

  const warned = all.filter(({ code, options }) => checks[code].severity === 'warning' && !options);
  it.each(warned)('warnings do not: $code: $name', ({ source }) => {
    const made = source();
    expect(thrownBy(() => isPipeline(made) && made.commit())).toBeUndefined();
  });
});

const isPipeline = (value: object): value is Pipeline => 'commit' in value && 'graph' in value;

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('each check is required', () => {
  it.each(codes)('without %s its defects are not found', (code) => {
    const { [code]: _removed, ...rest } = checks;
    for (const { name, source, options, paths } of defects[code]) {
      const made = source();
      if (made instanceof InterlockAgent) continue;
      const graph = toGraph(made as never);
      const roots = [locationOf(graph, { lane: options?.lane, isArray: Array.isArray(made) })];
      const { maxProcessorRetries, hold } = options ?? {};
      const subject = { id: graph.id, roots, maxProcessorRetries, hold };
      if (code !== 'pipeline/over-budget')
        expect(
          findDefects(subject).map(({ path }) => path),
          name,
        ).toEqual(paths);
      expect(findDefects(subject, rest), name).toEqual([]);
    }
  });
});
