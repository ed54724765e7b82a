import type { OperationPhase } from '@perigee/api/kinds/flows/operation-status';
import {
  FLOW,
  keyOfOperation,
  type Operation,
  type OperationKey,
  predecessorKeys,
  statusOf,
  textOfKey,
} from './operation.ts';

/** An operation as a step of its flow. */
export interface FlowStep {
  readonly operation: Operation;
  readonly key: OperationKey;
  /** Its predecessors, in or outside of the steps. */
  readonly after: readonly OperationKey[];
  /** The length of the longest path from a root. */
  readonly depth: number;
}

/** Connected operations. */
export interface Flow {
  readonly name: string;
  readonly namespace: string;
  readonly phase: OperationPhase;
  /** In topological order. */
  readonly steps: readonly FlowStep[];
}

/** Partition into connected groups. */
class Groups {
  readonly #parent = new Map<string, string>();

  root(one: string): string {
    let at = one;
    for (let up = this.#parent.get(at); up !== undefined; up = this.#parent.get(at)) at = up;
    // Path compression keeps lookups short, also in a chain of thousands.
    for (let step = one; step !== at; ) {
      const up = this.#parent.get(step) as string;
      this.#parent.set(step, at);
      step = up;
    }
    return at;
  }

  join(a: string, b: string): void {
    const [rootA, rootB] = [this.root(a), this.root(b)];
    if (rootA !== rootB) this.#parent.set(rootB, rootA);
  }
}

/** An empty label is none. */
const labelOf = ({ metadata }: Operation): string | undefined =>
  metadata.labels?.[FLOW] || undefined;

const order = (a: Operation, b: Operation): number => {
  const [ageA, ageB] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (ageA !== ageB) return ageA < ageB ? -1 : 1;
  return textOfKey(keyOfOperation(a)) < textOfKey(keyOfOperation(b)) ? -1 : 1;
};

/** The steps in topological order, the older first; those of a cycle come last. */
const inOrder = (operations: readonly Operation[]): readonly FlowStep[] => {
  const openSteps = new Map(
    operations.toSorted(order).map((one) => [textOfKey(keyOfOperation(one)), one]),
  );
  const keys = new Set(openSteps.keys());
  const depths = new Map<string, number>();
  const waits = new Map<string, number>();
  const next = new Map<string, string[]>();
  for (const [text, operation] of openSteps) {
    const before = predecessorKeys(operation)
      .map(textOfKey)
      .filter((one) => keys.has(one));
    waits.set(text, new Set(before).size);
    for (const one of new Set(before)) {
      const successors = next.get(one) ?? [];
      successors.push(text);
      next.set(one, successors);
    }
  }
  const ready = [...openSteps.keys()].filter((text) => waits.get(text) === 0);
  const stepOrder: string[] = [];
  for (let at = 0; at < ready.length; at++) {
    const text = ready[at] as string;
    stepOrder.push(text);
    for (const successor of next.get(text) ?? []) {
      depths.set(successor, Math.max(depths.get(successor) ?? 0, (depths.get(text) ?? 0) + 1));
      const count = (waits.get(successor) ?? 0) - 1;
      waits.set(successor, count);
      if (count === 0) ready.push(successor);
    }
  }
  const isSorted = new Set(stepOrder);
  const inCycle = [...openSteps.keys()].filter((text) => !isSorted.has(text));
  return [...stepOrder, ...inCycle].map((text) => {
    const operation = openSteps.get(text) as Operation;
    return {
      operation,
      key: keyOfOperation(operation),
      after: predecessorKeys(operation),
      depth: depths.get(text) ?? 0,
    };
  });
};

/** The phase of a flow: the worst of its unfinished steps. */
const phaseOf = (operations: readonly Operation[]): OperationPhase => {
  const phases = new Set(operations.map((one) => statusOf(one).phase));
  const worst = (['Executing', 'Failed', 'Pending', ''] as const).find((one) => phases.has(one));
  return worst ?? 'Complete';
};

const flowOf = (operations: readonly Operation[]): Flow => {
  const steps = inOrder(operations);
  const [first] = steps;
  const label = operations.map(labelOf).find((one) => one !== undefined);
  return {
    name: label ?? first?.key.name ?? '',
    namespace: first?.key.namespace ?? '',
    phase: phaseOf(operations),
    steps,
  };
};

/**
 * Groups operations into flows, by their predecessors and by the flow label within a namespace. The name of a flow is
 * its label, else that of its first step.
 */
export const flowsOf = (operations: readonly Operation[]): readonly Flow[] => {
  const groups = new Groups();
  for (const operation of operations) {
    const own = textOfKey(keyOfOperation(operation));
    for (const key of predecessorKeys(operation)) groups.join(textOfKey(key), own);
    const label = labelOf(operation);
    const { namespace } = operation.metadata;
    if (label !== undefined) groups.join(JSON.stringify([namespace, label]), own);
  }
  const together = Map.groupBy(operations, (one) => groups.root(textOfKey(keyOfOperation(one))));
  return [...together.values()]
    .map(flowOf)
    .toSorted((a, b) =>
      a.namespace === b.namespace ? (a.name < b.name ? -1 : 1) : a.namespace < b.namespace ? -1 : 1,
    );
};
