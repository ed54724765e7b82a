import { OwnWrites } from '@perigee/kube/controller/own-writes';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { TargetVerdict } from '@perigee/scheduling/placement/triggers/judge-target';
import { KnownClusters } from '../scheduler/known-clusters.ts';
import type { HasLabels } from './labelled-resources.ts';

interface Refusal {
  readonly message: string;
  readonly untilMs: number;
}

/** State of one trigger between reconciles. */
export interface TriggerMemory {
  /** The generation and run that the rest belongs to. */
  readonly about: string;
  /** The refusals of the server to change bindings, by the key of the resource. */
  readonly refusals: Map<string, Refusal>;
  hasLabels?: HasLabels;
  statusWrittenAt: number;
  /** The verdict on a binding holds until the binding changes. */
  readonly verdicts: WeakMap<Binding, TargetVerdict>;
}

/** The controller's memory. It need not survive a restart. */
export class TriggersMemory {
  readonly clusters = new KnownClusters();
  readonly own = new OwnWrites<Binding>();
  readonly #memories = new Map<string, TriggerMemory>();

  of(name: string, about: string): TriggerMemory {
    const memory = this.#memories.get(name);
    if (memory?.about === about) return memory;
    const fresh: TriggerMemory = {
      about,
      refusals: new Map(),
      statusWrittenAt: -Infinity,
      verdicts: new WeakMap(),
    };
    this.#memories.set(name, fresh);
    return fresh;
  }

  forget(name: string): void {
    this.#memories.delete(name);
  }
}
