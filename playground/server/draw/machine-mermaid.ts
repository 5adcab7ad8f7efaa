import type { Catalog, StateInfo } from '../../protocol/catalog.js';

/** A statechart as a state diagram of Mermaid. */
export const machineToMermaid = ({ states, transitions }: Catalog['machine']): string => {
  const within = (parent: string | undefined): StateInfo[] => states.filter((state) => state.parent === parent);
  const draw = (state: StateInfo, indent: string): string[] => {
    const inner = within(state.path);
    const name = state.path.split('.').at(-1) ?? state.path;
    const own = [`${indent}state "${name}" as ${idOf(state.path)}`];
    if (inner.length === 0) return own;
    const regions = inner.map((child) => level([child], `${indent}  `).concat(draw(child, `${indent}  `)));
    const body =
      state.type === 'parallel'
        ? regions.flatMap((lines, index) => (index > 0 ? [`${indent}  --`, ...lines] : lines))
        : regions.flat();
    return [`${indent}state "${name}" as ${idOf(state.path)} {`, ...body, `${indent}}`];
  };
  const level = (children: readonly StateInfo[], indent: string): string[] =>
    children.filter(({ isInitial }) => isInitial).map(({ path }) => `${indent}[*] --> ${idOf(path)}`);
  const top = within(undefined);
  const arrows = transitions
    .filter(({ from }) => from !== '')
    .map(({ from, to, event, guard }) => `  ${idOf(from)} --> ${idOf(to)} : ${event}${guard === undefined ? '' : ` [${guard}]`}`);
  const ends = top.filter(({ type }) => type === 'final').map(({ path }) => `  ${idOf(path)} --> [*]`);
  const lines = [...level(top, '  '), ...top.flatMap((state) => draw(state, '  ')), ...arrows, ...ends];
  return `stateDiagram-v2\n${lines.join('\n')}\n`;
};

const idOf = (path: string): string => path.replaceAll('.', '_');
