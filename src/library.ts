// Facts of package.json, which scripts/stamp-version.mjs writes at a release.

/** The library's name and version, in traces and telemetry. */
export const libraryName = 'mastra-interlock@0.0.0';

/** The address of the documentation: `homepage` of package.json, or without one the folder inside the installed package. */
export const documentation: string = 'node_modules/mastra-interlock/docs';
