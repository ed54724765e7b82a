import type { NamedResource } from '@perigee/api/values/karmada-names';
import { present } from '@perigee/schema/present';
import { carriedPlacement } from '../data/carried-placement.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { isRescheduleDue } from '../placement/scheduler/placement-request.ts';
import { schedule } from '../placement/scheduler/schedule.ts';
import { targetsOf } from '../placement/work/targets.ts';
import { type ClusterView, clusterViews } from './cluster-view.ts';
import { byStage, type Finding, type Stage } from './finding.ts';
import { type Difference, differenceOf } from './hypothesis.ts';
import { type Reading, read, type WorkSnapshot } from './snapshot.ts';
import { copyStage } from './stages/copy-stage.ts';
import { evictionStage } from './stages/eviction-stage.ts';
import { gateStage } from './stages/gate-stage.ts';
import { memberStage } from './stages/member-stage.ts';
import { overrideStage } from './stages/override-stage.ts';
import { placementStage } from './stages/placement-stage.ts';
import { policyStage } from './stages/policy-stage.ts';
import { schedulerStage } from './stages/scheduler-stage.ts';
import { templateStage } from './stages/template-stage.ts';
import { workStage } from './stages/work-stage.ts';
import { stateOf, summaryOf, type WorkState } from './summary.ts';
import { type Explanation, explain } from './verdicts/explain-decision.ts';

/** The scheduler's decision on the present state; it is not carried out. */
export interface Hypothesis {
  readonly explanation: Explanation;
  /** Absent if it equals the present placement. */
  readonly difference?: Difference;
}

/** The explanation of work: state, causes, and the decision of now. */
export interface WorkExplanation {
  readonly resource: NamedResource;
  readonly state: WorkState;
  /** Summary in one line. */
  readonly summary: string;
  readonly clusters: readonly ClusterView[];
  /** In the order of the stages. */
  readonly findings: readonly Finding[];
  /** Absent for work without a placement of its own. */
  readonly ifDecidedNow?: Hypothesis;
}

export interface ExplainOptions {
  /** True for a decision that ignores the present placement. */
  readonly isFresh?: boolean;
}

/** The binding without its present placement. */
const withoutPlacement = (binding: Binding): Binding => {
  const { clusters: _, rescheduleTriggeredAt: __, ...spec } = binding.spec;
  const { schedulerObservingAffinityName: ___, ...status } = binding.status ?? {};
  return { ...binding, spec, status } as Binding;
};

const decideNow = (
  binding: Binding,
  snapshot: WorkSnapshot,
  isFresh: boolean,
): Explanation | undefined => {
  // Without readable clusters there is no decision.
  if (binding.spec.placement === undefined || 'hidden' in snapshot.clusters) return undefined;
  const { metadata, spec, status = {} } = isFresh ? withoutPlacement(binding) : binding;
  const dataPlacement = carriedPlacement(metadata, snapshot.clustersOf);
  const byName = new Map(
    read(snapshot.clusters, []).map((cluster) => [cluster.metadata.name, cluster]),
  );
  return explain(spec, schedule(spec, status, snapshot.world, dataPlacement), {
    isFresh: isFresh || isRescheduleDue(spec, status),
    clusterOf: (name) => byName.get(name),
    status,
    world: snapshot.world,
    ...present({ dataPlacement }),
  });
};

const PARTS: readonly (readonly [keyof WorkSnapshot & string, Stage, string])[] = [
  ['template', 'template', 'the object itself'],
  ['binding', 'policy', 'its binding'],
  ['policies', 'policy', 'the policies'],
  ['claims', 'data', 'claims of data'],
  ['clusters', 'placement', 'the clusters'],
  ['works', 'work', 'the Works'],
];

/** Findings about unreadable parts; the rest is explained regardless. */
const hiddenParts = (snapshot: WorkSnapshot): readonly Finding[] =>
  PARTS.flatMap(([part, stage, what]): readonly Finding[] => {
    const reading = snapshot[part] as Reading<unknown>;
    if (!('hidden' in reading)) return [];
    const message = `nothing is said of ${what}: ${reading.hidden}`;
    return [
      {
        stage,
        reason: 'NotReadable',
        severity: 'info',
        by: 'user',
        message,
        details: { part },
      },
    ];
  });

/** If the binding is unreadable, the state of the work is unknown. */
const hiddenSummary = (findings: readonly Finding[]): string =>
  findings.find(({ severity }) => severity === 'holds')?.message ??
  'its binding cannot be read, so that it is not known whether it runs';

/** If only the template is unreadable, nothing is known of why there is no binding. */
const UNBOUND_SUMMARY =
  'it has no binding, so that nothing places it; why, is not known, since the object itself cannot be read';

/** If nothing runs, degrading findings block the work. */
const asHolding = (finding: Finding): Finding =>
  finding.severity === 'degrades' ? { ...finding, severity: 'holds' } : finding;

/** Explains the state of a workload, its causes, and the decision of now. */
export const explainWork = (
  snapshot: WorkSnapshot,
  { isFresh = false }: ExplainOptions = {},
): WorkExplanation => {
  const binding = read(snapshot.binding, undefined);
  const isPlaced = binding !== undefined && targetsOf(binding.spec).length > 0;
  const decision = binding && decideNow(binding, snapshot, false);
  const explanation =
    isFresh && binding !== undefined ? decideNow(binding, snapshot, true) : decision;
  const clusters = clusterViews(snapshot);
  const allFindings = [
    ...templateStage(snapshot),
    ...policyStage(snapshot),
    ...gateStage(snapshot, isPlaced),
    ...copyStage(snapshot),
    ...schedulerStage(snapshot, isPlaced),
    ...placementStage(snapshot, isPlaced, decision),
    ...evictionStage(snapshot),
    ...workStage(snapshot),
    ...overrideStage(snapshot),
    ...memberStage(snapshot),
    ...hiddenParts(snapshot),
  ].toSorted(byStage);
  const isHidden = 'hidden' in snapshot.binding;
  const isUnbound = binding === undefined && 'hidden' in snapshot.template;
  const state = stateOf(clusters, allFindings, isPlaced);
  const findings = state === 'held' ? allFindings.map(asHolding) : allFindings;
  const difference =
    explanation === undefined || binding === undefined
      ? undefined
      : differenceOf(binding.spec, explanation);
  return {
    resource: snapshot.resource,
    state,
    summary: isHidden
      ? hiddenSummary(findings)
      : isUnbound
        ? UNBOUND_SUMMARY
        : summaryOf(state, clusters, findings, binding),
    clusters,
    findings,
    ...present({ ifDecidedNow: explanation && { explanation, ...present({ difference }) } }),
  };
};
