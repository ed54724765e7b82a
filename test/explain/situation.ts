import type { SuggestionReason } from '@perigee/api/reasons/suggestion-reasons';
import type { SituationWorld } from './situation-world.ts';

/** One way in which work does not run. */
export interface Situation {
  /** Also the name of its namespace: in small letters, with dashes. */
  readonly name: string;
  /** Workload to explain; `deployment/web` by default. */
  readonly target?: string;
  /** Labels of its namespace. */
  readonly labels?: { readonly [label: string]: string };
  /** Makes it so, through the API. */
  readonly make: (world: SituationWorld) => Promise<void>;
  /** The reason of the first finding that holds the work back or degrades it. */
  readonly reason: string;
  /** Pattern of the first line. */
  readonly summary: RegExp;
  readonly mend: Mend;
}

/** The remedy that makes it run. */
export type Mend =
  /** The first suggestion: its commands are typed as they are printed. */
  | { readonly first: SuggestionReason }
  /** The first suggestion is these changes: their commands are typed one after the other. */
  | { readonly chain: readonly SuggestionReason[] }
  /** Nothing is suggested, for this reason; `remedy` makes it run all the same. */
  | { readonly none: string; readonly remedy?: (world: SituationWorld) => Promise<void> };
