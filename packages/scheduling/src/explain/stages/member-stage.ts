import type { AggregatedStatusItem } from '@perigee/api/kinds/placement/binding-status';
import { findCondition } from '@perigee/api/values/conditions';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { isFinished } from '../../interpreter/completion-checks.ts';
import { objectIn, objectsIn, textIn } from '../../interpreter/fields.ts';
import type { Binding } from '../../placement/binding/binding.ts';
import { readyReplicas } from '../cluster-view.ts';
import type { Finding } from '../finding.ts';
import { memberReplicas } from '../member-replicas.ts';
import { type MemberState, read, type WorkSnapshot } from '../snapshot.ts';
import { podFindings, sickPods } from './pod-findings.ts';

const trueCondition = (status: JsonObject, ...types: readonly string[]): JsonObject | undefined =>
  objectsIn(status, 'conditions').find(
    (one) => types.includes(textIn(one, 'type')) && textIn(one, 'status') === 'True',
  );

/** The outcome of work that runs to completion; undefined before its end. */
const endFinding = (binding: Binding, item: AggregatedStatusItem): Finding | undefined => {
  const { clusterName: cluster, status } = item;
  if (!isFinished(binding.spec.resource, status)) return undefined;
  const fields = (status ?? {}) as JsonObject;
  const failedCondition = trueCondition(fields, 'Failed');
  const phase =
    textIn(fields, 'phase') ||
    textIn(fields, 'state', 'phase') ||
    textIn(fields, 'jobStatus') ||
    textIn(fields, 'applicationState', 'state');
  const isFailure = failedCondition !== undefined || /fail|error|stopped|terminated/i.test(phase);
  if (!isFailure) {
    const message = `it ran to its end in ${cluster}`;
    return {
      stage: 'member',
      reason: 'Finished',
      severity: 'info',
      by: 'member',
      cluster,
      message,
    };
  }
  const words = [
    textIn(failedCondition ?? {}, 'reason'),
    textIn(failedCondition ?? {}, 'message'),
  ].filter((part) => part !== '');
  const why = words.join(': ') || phase;
  const message = `it failed in ${cluster}: ${why}`;
  return { stage: 'member', reason: 'WorkFailed', severity: 'holds', by: 'user', cluster, message };
};

/** The reason why the member creates no pods for it, in the member's words. */
export const creationFinding = (cluster: string, state: MemberState): Finding | undefined => {
  const failure = trueCondition(objectIn(state.object ?? {}, 'status'), 'ReplicaFailure');
  const event = state.warnings.findLast((one) => textIn(one, 'reason') === 'FailedCreate');
  const words = textIn(failure ?? event ?? {}, 'message');
  if (words === '') return undefined;
  const isQuota = /exceeded quota/.test(words);
  return {
    stage: 'member',
    reason: isQuota ? 'QuotaExceeded' : 'PodsRefused',
    severity: 'degrades',
    by: 'member',
    cluster,
    message: `${cluster} does not create its pods: ${words}`,
  };
};

const missingText = (
  cluster: string,
  item: AggregatedStatusItem,
  desiredReplicas: number | undefined,
): string => {
  const ready = readyReplicas(item);
  if (desiredReplicas === undefined || ready === undefined) return `it is not well in ${cluster}`;
  return ready >= desiredReplicas
    ? `its newest version does not get ready in ${cluster}, where an earlier one goes on running`
    : `${ready} of ${desiredReplicas} replicas are ready in ${cluster}`;
};

const ofMember = (
  item: AggregatedStatusItem,
  binding: Binding,
  snapshot: WorkSnapshot,
): readonly Finding[] => {
  const { clusterName: cluster, health, applied } = item;
  const work = read(snapshot.works, []).find(
    ({ metadata }) => metadata.namespace === executionNamespace(cluster),
  );
  const desiredReplicas = memberReplicas(binding.spec, cluster, work);
  const end = endFinding(binding, item);
  if (end?.reason === 'Finished') return [end];
  const reading = snapshot.members.get(cluster);
  const state = reading && read(reading, undefined);
  if (state === undefined) {
    if (end !== undefined) return [end];
    if (health !== 'Unhealthy') return [];
    const hiddenText =
      reading !== undefined && 'hidden' in reading
        ? `; its pods cannot be looked at from here: ${reading.hidden}`
        : '';
    const reason = desiredReplicas === undefined ? 'Unhealthy' : 'ReplicasNotReady';
    return [
      {
        stage: 'member',
        reason,
        severity: 'degrades',
        by: 'member',
        cluster,
        message: `${missingText(cluster, item, desiredReplicas)}${hiddenText}`,
      },
    ];
  }
  if (state.object === undefined) {
    if (applied !== true) return [];
    const message = `${cluster} had it and has it no more; it is applied again`;
    return [
      {
        stage: 'member',
        reason: 'ObjectMissing',
        severity: 'degrades',
        by: 'member',
        cluster,
        message,
      },
    ];
  }
  const sick = sickPods(cluster, state.pods, state.warnings);
  const creation = health === 'Unhealthy' ? creationFinding(cluster, state) : undefined;
  const ownFindings = [end ?? [], creation ?? []].flat();
  if (health !== 'Unhealthy' || sick.length > 0 || ownFindings.length > 0) return ownFindings;
  return [
    {
      stage: 'member',
      reason: desiredReplicas === undefined ? 'Unhealthy' : 'ReplicasNotReady',
      severity: 'degrades',
      by: 'member',
      cluster,
      message: missingText(cluster, item, desiredReplicas),
    },
  ];
};

/** The clusters in which a DaemonSet has no node; it holds the work back if that is so in all of them. */
export const emptyFinding = ({ spec, status }: Binding): readonly Finding[] => {
  if (spec.resource.kind !== 'DaemonSet') return [];
  const items = status?.aggregatedStatus ?? [];
  const empty = items.filter(({ status: report }) => {
    const { observedGeneration = 0, desiredNumberScheduled } = (report ?? {}) as JsonObject;
    return observedGeneration !== 0 && desiredNumberScheduled === 0;
  });
  if (empty.length === 0) return [];
  const clusters = empty.map(({ clusterName }) => clusterName);
  const message = `none of the nodes of ${clusters.join(', ')} is one that it is for`;
  const severity = empty.length === items.length ? 'holds' : 'info';
  const base = { stage: 'member', reason: 'NoNodeSelected', by: 'user' } as const;
  return [{ ...base, severity, message, details: { clusters } }];
};

const gangFinding = (binding: Binding): readonly Finding[] => {
  const gang = findCondition(binding.status?.conditions, 'Gang');
  if (gang === undefined || gang.status === 'True') return [];
  const { message, lastTransitionTime: since } = gang;
  return [
    { stage: 'pods', reason: 'GangsWait', severity: 'degrades', by: 'member', message, since },
  ];
};

/** Objects that members lack for pods that do not run for another reason, and would not start without them. */
const lackFindings = ({ members }: WorkSnapshot, pods: readonly Finding[]): readonly Finding[] => {
  const lacks = [...members].flatMap(([cluster, state]) =>
    (read(state, undefined)?.lacking ?? []).map(({ kind, name }) => ({
      cluster,
      text: `${kind.toLowerCase()} "${name}" not found`,
    })),
  );
  return [...Map.groupBy(lacks, ({ text }) => text)]
    .filter(([text]) => !pods.some(({ message }) => message.includes(text)))
    .map(([text, same]) => {
      const clusters = same.map(({ cluster }) => cluster);
      const message = `${clusters.join(', ')} ${clusters.length === 1 ? 'lacks' : 'lack'} what the pods need to start: ${text}`;
      const base = { stage: 'pods', reason: 'ConfigMissing', severity: 'degrades' } as const;
      return { ...base, by: 'user', message, details: { clusters } };
    });
};

/** Findings in members: the object, its pods, and gangs that wait. */
export const memberStage = (snapshot: WorkSnapshot): readonly Finding[] => {
  const binding = read(snapshot.binding, undefined);
  if (binding === undefined) return [];
  const items = (binding.status?.aggregatedStatus ?? []).filter(
    // The last report of a silent cluster is stale.
    ({ health }) => health !== 'Unknown',
  );
  const gang = gangFinding(binding);
  const memberFindings = items.flatMap((item) => ofMember(item, binding, snapshot));
  const sick = items.flatMap(({ clusterName }) => {
    const state = read(snapshot.members.get(clusterName) ?? { hidden: '' }, undefined);
    return state === undefined ? [] : sickPods(clusterName, state.pods, state.warnings);
  });
  // The gang's message is more precise than those of the unscheduled pods that wait for it.
  const sickInOrder =
    gang.length === 0 ? sick : sick.filter(({ reason }) => reason !== 'PodUnschedulable');
  const pods = podFindings(sickInOrder);
  return [
    ...memberFindings,
    ...emptyFinding(binding),
    ...gang,
    ...pods,
    ...lackFindings(snapshot, pods),
  ];
};
