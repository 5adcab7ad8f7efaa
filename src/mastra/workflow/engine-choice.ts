import { armsOf, chooseArms, stepContext, type ArmOf, type Choice } from '../../pipeline/choose-arms.js';
import { hasHookFor, otherwise, type BranchNode, type Condition } from '../../pipeline/graph.js';
import type { PhaseData } from '../../phase/row.js';
import { current } from '../../phase/settle-messages.js';
import { phaseRow } from '../../phase/table.js';
import { scopeOfStep, type BlockResults, type StepCall } from './scope.js';

/** The source text of a condition. */
export const textOfCondition = (when: Condition | undefined): string => (when === otherwise ? 'otherwise' : String(when));

/** The arms of a branch that run for a payload. */
export type EngineChoice = Choice<ArmOf<{ readonly index: number }>>;

/** Evaluates the conditions of a branch, once for each payload. */
export const chooser = (results: BlockResults, node: BranchNode, path: string) => {
  const choices = new WeakMap<object, Promise<EngineChoice>>();
  const choose = async (call: StepCall): Promise<EngineChoice> => {
    const scope = scopeOfStep(call, results);
    const payload = call.inputData as PhaseData; // every step of a pipeline returns the payload
    const row = phaseRow(payload.phase);
    const working = node.arms.flatMap((arm, index) => (hasHookFor(arm.node, row) ? [{ index }] : []));
    return chooseArms(armsOf(node, working, path), stepContext(current(payload, scope.host, row.carries), scope));
  };
  return (call: StepCall): Promise<EngineChoice> => {
    const choice = choices.get(call.inputData) ?? choose(call);
    choices.set(call.inputData, choice);
    return choice;
  };
};
