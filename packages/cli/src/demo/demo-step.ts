import type { Stage } from './stage.ts';

/** A scene of the demo, with its explanation for newcomers. */
export interface DemoStep {
  readonly title: string;
  /** The stages of the loop that it shows, numbered as in the README. */
  readonly stages: readonly number[];
  readonly why: string;
  /** Plays the scene; throws when its outcome does not come true. */
  readonly play: (stage: Stage) => Promise<void>;
}
