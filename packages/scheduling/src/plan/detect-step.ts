import type { PlanReason } from '@perigee/api/reasons/plan-reasons';
import { formatTime } from '@perigee/schema/values/time';
import type { Binding } from '../placement/binding/binding.ts';
import { bindingAfter } from '../placement/binding/binding-after.ts';
import type { DesiredBinding, Template } from '../placement/binding/desired-binding.ts';
import { type Detection, type DetectorWorld, detect } from '../placement/binding/detect.ts';
import { newBinding } from '../placement/binding/new-binding.ts';
import type { AnyPolicy } from '../placement/policy/policy-for.ts';
import { policyLabel, propagatedBy, withoutPolicy } from '../placement/policy/propagated-by.ts';
import { bestMatch } from '../placement/policy/selector-match.ts';
import type { PlanState } from './plan-state.ts';
import { keyOf, keyOfTemplate } from './world.ts';

const worldFor = (state: PlanState, { apiVersion, kind, metadata }: Template): DetectorWorld => {
  const { namespace } = metadata;
  const about = [...state.policies.values()].filter(({ spec }) =>
    spec.resourceSelectors.some((one) => one.apiVersion === apiVersion && one.kind === kind),
  );
  return {
    interpreter: state.world.interpreter,
    policies: {
      own: about.filter((one) => one.metadata.namespace && one.metadata.namespace === namespace),
      wide: about.filter((one) => !one.metadata.namespace),
      policyNamed: (ref) => state.policies.get(keyOf(ref)),
    },
    bindingOf: (name) => state.bindings.get(keyOf({ namespace, name })),
    hasOverride: (policy, name) =>
      state.overrides.has(keyOf({ namespace: policy.metadata.namespace, name })),
    priorityOf: (name) => state.priorityClasses.get(keyOf({ name }))?.value,
  };
};

const nameOf = ({ metadata }: AnyPolicy): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;

/** The reason why a template gets no binding; undefined if it gets one, or is not the detector's. */
const whyUnbound = (
  detection: Detection,
): { readonly reason: PlanReason; readonly message: string } | undefined => {
  switch (detection.kind) {
    case 'for-others':
    case 'propagated':
      return undefined;
    case 'unselected':
      return { reason: 'NoPolicy', message: 'no propagation policy selects it' };
    case 'waits-for-overrides': {
      const message = `the policy ${nameOf(detection.policy)} waits for the override policies ${detection.missing.join(', ')}`;
      return { reason: 'WaitsForOverrides', message };
    }
    case 'waits-for-priority-class': {
      const message = `there is no PriorityClass ${detection.missing}, which the policy ${nameOf(detection.policy)} names`;
      return { reason: 'WaitsForPriorityClass', message };
    }
    case 'waits-for-change': {
      const message = `the policy ${nameOf(detection.policy)} is lazy and came later`;
      return { reason: 'WaitsForChange', message };
    }
    case 'name-taken': {
      const message = `the binding ${detection.bindingName} belongs to an earlier object`;
      return { reason: 'NameTaken', message };
    }
  }
};

const firstBinding = (desired: DesiredBinding, nowMs: number): Binding => {
  const { metadata, spec } = newBinding(desired);
  return {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: metadata.namespace === undefined ? 'ClusterResourceBinding' : 'ResourceBinding',
    metadata: {
      ...metadata,
      uid: `planned ${keyOf(metadata)}`,
      resourceVersion: '0',
      creationTimestamp: formatTime(nowMs),
    },
    spec,
  } as Binding;
};

/** Creates or updates the binding of a template, or records the reason why there is none. */
export const detectStep = (state: PlanState, key: string): void => {
  const template = state.templates.get(key);
  if (template === undefined) return;
  const detection = detect(template, worldFor(state, template));
  if ('marks' in detection && detection.marks !== undefined) {
    const metadata = { ...template.metadata, ...detection.marks };
    state.templates.set(key, { ...template, metadata } as Template);
  }
  const why = whyUnbound(detection);
  if (why === undefined) state.unbound.delete(key);
  else state.unbound.set(key, { afterSeconds: state.secondsPassed, ...why });
  if (detection.kind === 'unselected' && detection.markedBinding !== undefined) {
    const { metadata } = detection.markedBinding;
    const releasedMetadata = { ...metadata, ...withoutPolicy(metadata) };
    state.write(keyOf(metadata), { ...detection.markedBinding, metadata: releasedMetadata });
  }
  if (detection.kind !== 'propagated') return;
  if (detection.currentBinding !== undefined && state.subjects.has(key)) {
    state.concern(keyOf(detection.currentBinding.metadata));
  }
  if (detection.desired === undefined) return;
  const { desired, currentBinding } = detection;
  const next =
    currentBinding === undefined
      ? firstBinding(desired, state.nowMs)
      : bindingAfter(currentBinding, desired);
  if (next === currentBinding) return;
  state.write(keyOf(desired), next);
};

/** Queues all templates that a policy propagates or selects. */
export const recheckPolicy = (state: PlanState, policy: AnyPolicy): void => {
  const { id } = policyLabel(policy);
  const { namespace } = policy.metadata;
  for (const template of state.templates.values()) {
    const isHad = id !== '' && propagatedBy(template.metadata)?.id === id;
    const isWanted =
      (!namespace || namespace === template.metadata.namespace) &&
      bestMatch(policy.spec.resourceSelectors, template) > 0;
    if (isHad || isWanted) state.due.templates.add(keyOfTemplate(template));
  }
};
