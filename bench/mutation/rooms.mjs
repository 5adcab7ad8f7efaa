/** The rooms under mutation, and the tests that answer for them. */
export const rooms = {
  pipeline: ['src/pipeline/**/*.test.ts', 'test/verify/{catalogue,counter-examples}.test.ts'],
  release: ['src/release/**/*.test.ts'],
  loop: ['src/loop/**/*.test.ts', 'test/loop/*.test.ts', 'test/promises/p*.test.ts'],
};
