import { stepped, streamed } from '../bench/subjects.js';
import { loopStepped, loopStreamed } from '../bench/ai-sdk.js';
const cases: Record<string, () => [() => any, number]> = {
  n0_1: () => [stepped({ agent: 'interlock', shape: 'array', guards: 0 })(1), 1],
  n0_2: () => [stepped({ agent: 'interlock', shape: 'array', guards: 0 })(2), 1],
  n0_10: () => [stepped({ agent: 'interlock', shape: 'array', guards: 0 })(10), 1],
  n0_20: () => [stepped({ agent: 'interlock', shape: 'array', guards: 0 })(20), 1],
  n3_1: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(1), 1],
  n3_2: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(2), 1],
  n3_10: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(10), 1],
  n3_20: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(20), 1],
  m0: () => [stepped({ agent: 'mastra', shape: 'array', guards: 0 })(10), 10],
  s0: () => [stepped({ agent: 'interlock', shape: 'array', guards: 0 })(10), 10],
  s3: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(10), 10],
  ss3: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 }, true)(10), 10],
  m3: () => [stepped({ agent: 'mastra', shape: 'array', guards: 3 })(10), 10],
  ms3: () => [stepped({ agent: 'mastra', shape: 'array', guards: 3 }, true)(10), 10],
  l3: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(100), 100],
  l400: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(400), 400],
  h0: () => [stepped({ agent: 'interlock', shape: 'array', guards: 0 })(1, 1000), 1],
  h3: () => [stepped({ agent: 'interlock', shape: 'array', guards: 3 })(1, 1000), 1],
  c3: () => [streamed({ agent: 'interlock', shape: 'array', guards: 3 })(2000), 2000],
  c0: () => [streamed({ agent: 'interlock', shape: 'array', guards: 0 })(2000), 2000],
  c1: () => [streamed({ agent: 'interlock', shape: 'array', guards: 1 })(2000), 2000],
  c10: () => [streamed({ agent: 'interlock', shape: 'array', guards: 10 })(2000), 2000],
  mc3: () => [streamed({ agent: 'mastra', shape: 'array', guards: 3 })(2000), 2000],
  g3: () => [loopStepped({ loop: 'guardedToolLoop', guards: 3 })(10), 10],
  gs3: () => [loopStepped({ loop: 'guardedToolLoop', guards: 3 }, true)(10), 10],
  ts: () => [loopStepped({ loop: 'ToolLoopAgent', guards: 0 }, true)(10), 10],
  gc3: () => [loopStreamed({ loop: 'guardedToolLoop', guards: 3 })(2000), 2000],
};
const [name, ms] = process.argv.slice(2);
const [work, per] = cases[name!]!();
if (process.env.PROF) {
  const { Session } = await import('node:inspector/promises'); const fs = await import('node:fs');
  for (let i = 0; i < +process.env.WARM!; i++) await work();
  const q = new Session(); q.connect();
  if (process.env.ALLOC) {
    await q.post('HeapProfiler.startSampling', { samplingInterval: 2048, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true });
    for (let i = 0; i < +process.env.N!; i++) await work();
    const { profile } = await q.post('HeapProfiler.stopSampling');
    const self = new Map(), tot = new Map(), edges = new Map();
    const walk = (x: any, stack: string[]) => { const f = x.callFrame; const u = f.url.includes('many-') ? '' : ' ' + f.url.split('/').at(-1).slice(0, 24); const k = ((f.functionName || '(anon)') + ':' + f.lineNumber) + u; self.set(k, (self.get(k) || 0) + x.selfSize); if (x.selfSize) { const e = k + ' <- ' + stack.slice(-3).toReversed().join(' < '); edges.set(e, (edges.get(e) || 0) + x.selfSize); } const st = [...stack, k]; for (const y of new Set(st)) tot.set(y, (tot.get(y) || 0) + x.selfSize); for (const c of x.children) walk(c, st); };
    walk(profile.head, []);
    const d = +process.env.N! * per; const out = (m: any) => Object.fromEntries([...m].map(([k, v]: any) => [k, v / d]));
    fs.writeFileSync(process.env.PROF, JSON.stringify({ self: out(self), tot: out(tot), edges: out(edges) })); process.exit(0);
  }
  await q.post('Profiler.enable'); await q.post('Profiler.setSamplingInterval', { interval: +(process.env.IV ?? 150) }); await q.post('Profiler.start');
  for (let i = 0; i < +process.env.N!; i++) await work();
  const { profile } = await q.post('Profiler.stop'); fs.writeFileSync(process.env.PROF, JSON.stringify(profile)); process.exit(0);
}
const iters = Number(ms); for (let i = 0; i < iters; i++) await work();
const each: number[] = [];
for (let i = 0; i < iters; i++) { const a = process.cpuUsage(); await work(); const d = process.cpuUsage(a); each.push((d.user + d.system) / per); }
each.sort((a, b) => a - b);
console.log(name, JSON.stringify({ n: iters, q1: each[each.length >> 2], min: each[0] }));
process.exit(0);
