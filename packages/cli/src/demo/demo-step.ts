import type { Stage } from './stage.ts';

/** One scene of the story: what is shown, and why it matters to somebody who sees it first. */
export interface DemoStep {
  readonly title: string;
  /** The stages of the loop that it is about, as the README numbers them. */
  readonly stages: readonly number[];
  readonly why: string;
  /** Shows it, and throws when it does not come true. */
  readonly play: (stage: Stage) => Promise<void>;
}
