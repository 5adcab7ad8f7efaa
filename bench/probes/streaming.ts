import type { BenchModel } from '../model.js';

/** Streams one answer of a model through so many guards. */
export type Stream = (
  model: BenchModel,
) => AsyncIterable<{ readonly type: string }> | Promise<AsyncIterable<{ readonly type: string }>>;

/** Who is probed. Each is loaded when it is asked for. */
export const streaming = {
  interlock: async (guards: number): Promise<Stream> => (await import('../subjects/interlock.js')).stream(guards),
  mastra: async (guards: number): Promise<Stream> => (await import('../subjects/mastra.js')).stream(guards),
  'ai-sdk': async (guards: number): Promise<Stream> => (await import('../subjects/ai-sdk.js')).stream(guards),
  'plain loop': async (guards: number): Promise<Stream> => (await import('../subjects/loop.js')).stream(guards),
} as const;

export type Probed = keyof typeof streaming;

export const probed = Object.keys(streaming) as readonly Probed[];

/** The model interface that a subject speaks. */
export const versionOf = (name: string): 'v2' | 'v4' => (name === 'ai-sdk' ? 'v4' : 'v2');

export const guardsProbed = 3;
