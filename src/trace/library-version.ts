/** This library, as traces name who wrote them; a test holds it to package.json. */
export const libraryName = 'mastra-interlock@0.0.0';
