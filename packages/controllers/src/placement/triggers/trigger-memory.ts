import { OwnWrites } from '@perigee/kube/controller/own-writes';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { TargetVerdict } from '@perigee/scheduling/placement/triggers/judge-target';
import { KnownClusters } from '../scheduler/known-clusters.ts';
import type { HasLabels } from './labelled-resources.ts';

interface Refusal {
  readonly message: string;
  readonly untilMs: number;
}

/** What is remembered of one trigger between two looks. */
export interface TriggerMemory {
  /** Which generation and run the rest is about. */
  readonly about: string;
  /** The resources whose bindings the server would not change, by key. */
  readonly refusals: Map<string, Refusal>;
  hasLabels?: HasLabels;
  statusWrittenAt: number;
  /** What was found of a binding holds until the binding changes. */
  readonly verdicts: WeakMap<Binding, TargetVerdict>;
}

/** What the controller remembers. Nothing of it has to survive a restart. */
export class TriggersMemory {
  readonly clusters = new KnownClusters();
  readonly own = new OwnWrites<Binding>();
  readonly #known = new Map<string, TriggerMemory>();

  of(name: string, about: string): TriggerMemory {
    const known = this.#known.get(name);
    if (known?.about === about) return known;
    const fresh: TriggerMemory = {
      about,
      refusals: new Map(),
      statusWrittenAt: -Infinity,
      verdicts: new WeakMap(),
    };
    this.#known.set(name, fresh);
    return fresh;
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}
