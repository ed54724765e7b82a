import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { PlanReason } from '@perigee/api/reasons/plan-reasons';
import { specSelects } from '@perigee/api/values/label-selector';
import { sameJson } from '@perigee/schema/same-json';
import { readNodeClaim } from '../clusters/room/node-claim.ts';
import { PlanError } from '../errors.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import { podShapeOf } from '../placement/scheduler/estimate/pod-shape.ts';
import { judgeTarget } from '../placement/triggers/judge-target.ts';
import { lookupAmong } from '../placement/triggers/lookup-among.ts';
import { nextTriggerTime } from '../placement/triggers/next-trigger-time.ts';
import { selectTargets } from '../placement/triggers/select-targets.ts';
import { drainCluster, loseCluster, putCluster } from './cluster-steps.ts';
import { recheckPolicy } from './detect-step.ts';
import type { PlanState } from './plan-state.ts';
import {
  type Change,
  type FreedPods,
  keyOf,
  keyOfTemplate,
  type Put,
  templateKey,
} from './world.ts';

const clusterNamed = (state: PlanState, name: string) => {
  const cluster = state.clusters.get(name);
  if (cluster !== undefined) return cluster;
  const names = [...state.clusters.keys()].slice(0, 10).join(', ');
  throw new PlanError(`there is no cluster ${name}${names === '' ? '' : `; there are ${names}`}`);
};

/** Stores all bindings of a namespace anew, to update the data that they carry. */
const recheckNamespace = (state: PlanState, namespace: string | undefined): void => {
  for (const [key, { metadata }] of state.bindings) {
    if (metadata.namespace === namespace) state.due.data.add(key);
  }
};

/** The server counts each change, and admission checks each version once. */
const inNextVersion = (template: Template, before: Template | undefined): Template => {
  const { resourceVersion } = template.metadata;
  const isCounted = before === undefined || before.metadata.resourceVersion !== resourceVersion;
  if (isCounted || sameJson(template as never, before as never)) return template;
  const metadata = { ...template.metadata, resourceVersion: `${resourceVersion}-planned` };
  return { ...template, metadata } as Template;
};

const put = (state: PlanState, change: Put): void => {
  switch (change.of) {
    case 'cluster':
      putCluster(state, change.object);
      return;
    case 'taintPolicy':
      state.taintPolicies.set(keyOf(change.object.metadata), change.object);
      for (const name of state.clusters.keys()) state.due.taints.add(name);
      return;
    case 'policy': {
      const key = keyOf(change.object.metadata);
      const before = state.policies.get(key);
      if (before !== undefined) recheckPolicy(state, before);
      state.policies.set(key, change.object);
      recheckPolicy(state, change.object);
      return;
    }
    case 'override':
      state.overrides.set(keyOf(change.object.metadata), change.object);
      for (const key of state.templates.keys()) state.due.templates.add(key);
      return;
    case 'template': {
      const key = keyOfTemplate(change.object);
      state.templates.set(key, inNextVersion(change.object, state.templates.get(key)));
      state.subjects.add(key);
      state.due.templates.add(key);
      return;
    }
    case 'claim': {
      const key = keyOf(change.object.metadata);
      state.claims.set(key, change.object);
      state.version += 1;
      state.due.claims.add(key);
      recheckNamespace(state, change.object.metadata.namespace);
      return;
    }
    case 'source':
      state.sources.set(keyOf(change.object.metadata), change.object);
      state.version += 1;
      for (const key of state.claims.keys()) state.due.claims.add(key);
      for (const namespace of new Set(
        [...state.claims.values()].map((one) => one.metadata.namespace),
      )) {
        recheckNamespace(state, namespace);
      }
      return;
    case 'queue':
      state.queues.set(keyOf(change.object.metadata), change.object);
      state.queueVersion += 1;
      state.due.dispatch = true;
      return;
    case 'namespace':
      state.namespaces.set(keyOf(change.object.metadata), change.object);
      state.queueVersion += 1;
      state.due.dispatch = true;
      return;
    case 'priorityClass':
      state.priorityClasses.set(keyOf(change.object.metadata), change.object);
      state.queueVersion += 1;
      for (const key of state.templates.keys()) state.due.templates.add(key);
      state.due.dispatch = true;
  }
};

/** Triggers the targets of a trigger, and records the reasons for the others. */
const trigger = (state: PlanState, spec: ScheduleTrigger['spec']): void => {
  const lookup = lookupAmong<Binding>({
    bindings: [...state.bindings.values()],
    policies: [...state.policies.values()].map(({ metadata }) => metadata),
    clusters: state.room.all,
    hasLabels: ({ labelSelector }, { spec: { resource } }) =>
      labelSelector === undefined ||
      specSelects(labelSelector, state.templates.get(templateKey(resource))?.metadata.labels),
  });
  for (const { binding, problem, resource } of selectTargets(spec, lookup, Infinity)) {
    const verdict = problem ?? judgeTarget(binding, undefined, spec);
    if (binding === undefined) {
      const where = resource.namespace === undefined ? '' : `${resource.namespace}/`;
      // The trigger moves its other targets all the same.
      state.notes.add(
        `the trigger would fail for ${resource.kind} ${where}${resource.name}: ${verdict.message}`,
      );
      continue;
    }
    const key = keyOf(binding.metadata);
    state.concern(key);
    if (verdict.result !== 'Pending') {
      state.report(key, verdict.reason as PlanReason, verdict.message ?? '');
      continue;
    }
    const rescheduleTriggeredAt = nextTriggerTime(binding.spec, binding.status, state.nowMs);
    state.write(key, { ...binding, spec: { ...binding.spec, rescheduleTriggeredAt } } as Binding);
  }
};

const free = (state: PlanState, name: string, { replicas, requests }: FreedPods): void => {
  const { metadata } = clusterNamed(state, name);
  const pods = [{ replicas, shape: podShapeOf(requests), claim: readNodeClaim(undefined) }];
  state.room.change(metadata.name, [], pods);
  for (const key of state.standing('waiting')) state.due.schedule.add(key);
  state.due.dispatch = true;
};

const resume = (state: PlanState, key: string): void => {
  const binding = state.bindings.get(key);
  if (binding === undefined) throw new PlanError(`there is no binding ${key}`);
  const { scheduling: _, ...others } = binding.spec.suspension ?? {};
  const { suspension: __, ...rest } = binding.spec;
  const spec = Object.keys(others).length === 0 ? rest : { ...rest, suspension: others };
  state.write(key, { ...binding, spec } as Binding);
};

/** Applies a change. Throws a `PlanError` if its object does not exist. */
export const beginChange = (state: PlanState, change: Change): void => {
  switch (change.kind) {
    case 'put':
      put(state, change);
      return;
    case 'lose':
      loseCluster(state, clusterNamed(state, change.cluster));
      return;
    case 'drain':
      drainCluster(state, clusterNamed(state, change.cluster));
      return;
    case 'trigger':
      trigger(state, change.spec);
      return;
    case 'free':
      free(state, change.cluster, change.pods);
      return;
    case 'look':
      state.due.dispatch = true;
      return;
    case 'resume':
      resume(state, change.binding);
  }
};
