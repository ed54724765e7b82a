import type { Problem } from '../errors.ts';

/** The clusters where a step would run if the flow were submitted now, and the reason. */
export interface PlannedStep {
  readonly step: string;
  readonly kind: string;
  /** The name of the operation object. */
  readonly name: string;
  readonly after: readonly string[];
  /** Empty when no cluster could run it. */
  readonly clusters: readonly string[];
  /** One of a closed list of reasons, such as `WhereDatasetIs`. */
  readonly reason: string;
  readonly message: string;
}

/** A flow as it would run. `toString` gives a table. */
export class FlowPlan {
  readonly flow: string;
  readonly namespace: string;
  readonly steps: readonly PlannedStep[];
  /** Problems that keep it from running; run() refuses it for the same ones. */
  readonly problems: readonly Problem[];

  constructor(plan: Pick<FlowPlan, 'flow' | 'namespace' | 'steps' | 'problems'>) {
    this.flow = plan.flow;
    this.namespace = plan.namespace;
    this.steps = plan.steps;
    this.problems = plan.problems;
  }

  toString(): string {
    const rows = this.steps.map(({ step, kind, after, clusters, reason, message }) => [
      step,
      kind,
      after.join(', ') || '-',
      clusters.join(', ') || 'nowhere',
      `${reason}: ${message}`,
    ]);
    const table = [['STEP', 'KIND', 'AFTER', 'WHERE', 'WHY'], ...rows];
    const widths = [0, 1, 2, 3].map((at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
    const lines = table.map((row) =>
      row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('   '),
    );
    const problems = this.problems.map(
      ({ step, message }) => `problem: ${step === undefined ? '' : `${step}: `}${message}`,
    );
    return [`Flow ${this.flow} in ${this.namespace}`, ...lines, ...problems].join('\n');
  }
}
