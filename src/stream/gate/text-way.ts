import { isPromise } from '../../phase/awaitable.js';
import { chooseArms, stepContext, type Choice } from '../../pipeline/branch.js';
import type { BlockPlace, JudgePlace, TextPlace } from '../../pipeline/stream-plan.js';
import type { TextPart } from './chunk.js';
import type { Segment } from './segment.js';
import { createBlockTexts } from './text-block.js';
import { createTextJudge } from './text-judge.js';
import type { Gate, TextStage } from './stages.js';

/** Creates the stages of guards with windows; cleared text goes to `out`. */
export const createTextWay = (places: readonly TextPlace[], gate: Gate, out: TextStage): TextStage =>
  places.reduceRight(
    (next, place) => (place.kind === 'judge' ? judgeStage(place, gate, next) : blockStage(place, gate, next)),
    out,
  );

const nowhere: TextStage = { add: () => undefined, end: () => undefined, endStep: () => undefined };

const judgeStage = (place: JudgePlace, gate: Gate, next: TextStage): TextStage =>
  place.isShadow ? both(createTextJudge(place, gate, nowhere), next) : createTextJudge(place, gate, next);

/** Copies a text to an observer, and passes it on at once. */
const both = (aside: TextStage, next: TextStage): TextStage => ({
  add: (segment) => {
    aside.add(segment);
    next.add(segment);
  },
  end: (lane) => {
    aside.end(lane);
    next.end(lane);
  },
  endStep: () => {
    aside.endStep();
    next.endStep();
  },
});

/** The branches that judge a text: all of them, or the arms whose conditions hold at its start. */
type BlockStageOptions = (lane: TextPart) => readonly number[];

const blockStage = (place: BlockPlace, gate: Gate, next: TextStage): TextStage => {
  const { arms, branches } = place;
  if (!arms) {
    const all = branches.map((_, index) => index);
    return branchStage({ place, block: () => all }, gate, next);
  }
  const chosen = new WeakMap<TextPart, readonly number[]>();
  const stage = branchStage({ place, block: (lane) => chosen.get(lane) ?? [] }, gate, next);
  const choose: ChoiceOptions['choose'] = (lane, matching) =>
    void chosen.set(
      lane,
      matching.flatMap(({ branch }) => (branch ? branches.indexOf(branch) : [])),
    );
  return createChoosing({ arms, gate, stage, choose });
};

interface BranchStageOptions {
  readonly place: BlockPlace;
  readonly block: BlockStageOptions;
}

const branchStage = (
  { place: { block, branches }, block: branchesOf }: BranchStageOptions,
  gate: Gate,
  next: TextStage,
): TextStage => {
  const texts = createBlockTexts({ block, branches, isJudgedBy: (lane, index) => branchesOf(lane).includes(index) }, gate, next);
  const outs = branches.map((_, index) => texts.outOf(index));
  const ways = branches.map(({ places }, index) => createTextWay(places, gate, outs[index] as TextStage)); // one each
  /** A branch that does not judge the text passes it at once. */
  const wayOf = (lane: TextPart, index: number) => (branchesOf(lane).includes(index) ? ways : outs)[index] as TextStage;
  return {
    add: (segment) => {
      texts.addInput(segment);
      const { lane, text } = segment;
      const unedited = { ...segment, raw: text.length, isEdited: false };
      for (const index of branches.keys()) wayOf(lane, index).add(unedited);
    },
    end: (lane) => {
      for (const index of branches.keys()) wayOf(lane, index).end(lane);
    },
    endStep: () => {
      for (const way of ways) way.endStep();
      next.endStep();
    },
  };
};

interface ChoiceOptions {
  readonly arms: NonNullable<BlockPlace['arms']>;
  readonly gate: Gate;
  readonly stage: TextStage;
  choose(lane: TextPart, matching: NonNullable<BlockPlace['arms']>): void;
}

/** Evaluates the conditions of a branch once for each text, with its first delta; later text waits for the result. */
const createChoosing = ({ arms, gate, stage, choose }: ChoiceOptions): TextStage => {
  const waiting = new Map<TextPart, (() => void)[]>();
  const known = new WeakSet<TextPart>();
  const decide = (lane: TextPart, at: number, choice: Choice<(typeof arms)[number]>): void => {
    if (choice.failure) {
      const { failure } = choice;
      const path = failure.path ?? '';
      return gate.stop({ kind: 'unavailable', processorId: path, phase: 'outputStream', path, error: failure }, at);
    }
    choose(lane, choice.matching);
    const steps = waiting.get(lane) ?? [];
    waiting.delete(lane);
    for (const step of steps) step();
  };
  const chooseFor = ({ lane, text, first: at }: Segment): void => {
    known.add(lane);
    waiting.set(lane, []);
    const choice = chooseArms(arms, stepContext(gate.payloadOf(lane.chunkOf(text)), gate.scope));
    if (!isPromise(choice)) return decide(lane, at, choice);
    gate.start(at);
    void choice.then((made) => gate.handOut(() => decide(lane, at, made))).finally(() => gate.done(at));
  };
  /** Runs a function now, or once the judging branches are known. */
  const then = (lane: TextPart, step: () => void): void => {
    const steps = waiting.get(lane);
    if (steps) steps.push(step);
    else if (!gate.isStopped) step();
  };
  return {
    add: (segment) => {
      if (!known.has(segment.lane)) chooseFor(segment);
      then(segment.lane, () => stage.add(segment));
    },
    end: (lane) => {
      then(lane, () => stage.end(lane));
    },
    endStep: () => stage.endStep(),
  };
};
