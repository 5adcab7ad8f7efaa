import type { GraphShape } from '../../protocol/catalog.js';

/** The first and last id of a drawn node. */
interface Drawn {
  readonly first: string;
  readonly last: string;
}

/** A pipeline as a Mermaid flowchart. */
export const pipelineToMermaid = (shape: GraphShape): string => {
  const lines = ['flowchart TD'];
  const line = (text: string): void => void lines.push(`  ${text}`);
  let nodes = 0;
  const node = (open: string, label: string, close: string): string => {
    const id = `n${(nodes += 1)}`;
    line(`${id}${open}${quoted(label)}${close}`);
    return id;
  };
  const block = (label: string, arms: readonly { readonly label: string; readonly shape: GraphShape }[]): Drawn => {
    const first = node('{{', label, '}}');
    const last = node('((', 'merge', '))');
    for (const arm of arms) {
      const inner = draw(arm.shape);
      line(`${first} -->${arm.label ? `|${quoted(arm.label)}|` : ''} ${inner.first}`);
      line(`${inner.last} --> ${last}`);
    }
    return { first, last };
  };
  const sequence = (id: string, inner: readonly GraphShape[]): Drawn => {
    const drawn = inner.map(draw);
    for (const [index, next] of drawn.slice(1).entries()) line(`${drawn[index]?.last} --> ${next.first}`);
    const only = drawn.length === 0 ? node('[', id, ']') : '';
    return { first: drawn[0]?.first ?? only, last: drawn.at(-1)?.last ?? only };
  };
  const draw = (one: GraphShape): Drawn => {
    switch (one.kind) {
      case 'guard': {
        const id = node('[', one.id, ']');
        return { first: id, last: id };
      }
      case 'function':
      case 'map': {
        const id = node('[/', one.id, '/]');
        return { first: id, last: id };
      }
      case 'parallel':
        return block(
          `parallel: ${one.overlap}`,
          one.nodes.map((inner) => ({ label: '', shape: inner })),
        );
      case 'branch':
        return block(
          `branch: ${one.overlap}`,
          one.arms.map(({ condition, node: inner }) => ({ label: condition, shape: inner })),
        );
      case 'sequence':
        return sequence(one.id, one.nodes);
      default:
        return one satisfies never;
    }
  };
  draw(shape);
  return `${lines.join('\n')}\n`;
};

/** A text as a Mermaid label, with special characters escaped. */
const quoted = (text: string): string => `"${text.replaceAll(/[^\p{L}\p{N} _.,:/-]/gu, (sign) => `#${sign.codePointAt(0)};`)}"`;
