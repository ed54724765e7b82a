import type { SituationWorld } from './situation-world.ts';

/** One way in which work does not run. */
export interface Situation {
  /** Also the name of its namespace: in small letters, with dashes. */
  readonly name: string;
  /** What is asked about; `deployment/web` unless given. */
  readonly target?: string;
  /** Labels of its namespace. */
  readonly labels?: { readonly [label: string]: string };
  /** Makes it so, through the API. */
  readonly make: (world: SituationWorld) => Promise<void>;
  /** The reason of the first finding that holds the work back or degrades it. */
  readonly reason: string;
  /** What the line on top says. */
  readonly summary: RegExp;
  /** A change that users can make themselves, after which it runs. */
  readonly remedy?: (world: SituationWorld) => Promise<void>;
}
