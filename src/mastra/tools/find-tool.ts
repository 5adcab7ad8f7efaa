import type { StepSettings } from '../../loop/ports.js';
import { offeredTools } from '../model/provider-tools.js';
import type { AnyTool } from './tools.js';

/** A tool that a step offers, with its name there. */
type OfferedTool = [name: string, tool: AnyTool];

/** Finds the tool of a call. Models call a tool by its name, some by its id. */
export const findTool = (settings: StepSettings, called: string): OfferedTool | undefined => {
  const offered: OfferedTool[] = offeredTools(settings);
  return offered.find(([own]) => own === called) ?? offered.find(([, tool]) => tool.id === called);
};
