/**
 * What memory keeps of a turn whose answer was not accepted. `drop`: nothing. `user-only`: what the caller said, as the guards left
 * it, and nothing where it was itself what they rejected. `placeholder`: the same, and notes in place of what was rejected.
 */
export type KeptTurn = 'drop' | 'user-only' | 'placeholder';

/** What memory keeps, by how the run ended. Whatever it says, nothing that was rejected is saved. */
export interface Persistence {
  /** A guard stopped the run. Default `drop`. */
  tripwire?: KeptTurn;
  /** Something failed: the model, a guard, a tool's rights. Default `drop`. */
  failed?: KeptTurn;
  /** The caller gave up. Default `drop`. */
  canceled?: KeptTurn;
}
