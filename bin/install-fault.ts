import { installedIntegrations, rangeOf, type InstalledIntegration } from '../src/integration.js';

const leastNode = [22, 13] as const;

/**
 * The reason why the commands cannot run here, with the command that fixes it. npm on an old Node quietly installs a @mastra/core of
 * years ago, which then lacks modules that this package imports.
 */
export const installFault = (
  node: string = process.versions.node,
  installed: readonly InstalledIntegration[] = installedIntegrations(),
): string | undefined => {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < leastNode[0] || (major === leastNode[0] && minor < leastNode[1]))
    return `Interlock needs Node ${leastNode.join('.')} or newer; this is Node ${node}.`;
  const core = installed.find(({ name }) => name === '@mastra/core');
  if (core && core.severity !== 'error') return undefined;
  const found = core ? `, and ${core.version} is installed` : '';
  return `Interlock's commands need @mastra/core ${rangeOf('@mastra/core')}${found}. Run: npm install @mastra/core@latest`;
};
