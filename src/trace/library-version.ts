/** The library's name and version in traces; a test compares it with package.json. */
export const libraryName = 'mastra-interlock@0.0.0';
