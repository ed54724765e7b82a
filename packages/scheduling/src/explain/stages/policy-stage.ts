import { createInterpreter, frameworkKinds, nativeKinds } from '../../interpreter/known-kinds.ts';
import type { Template } from '../../placement/binding/desired-binding.ts';
import { type Detection, detect } from '../../placement/binding/detect.ts';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import {
  isSyncedNamespace,
  SKIPS_MEMBERS,
  skipsMembers,
} from '../../placement/work/synced-namespace.ts';
import type { Finding } from '../finding.ts';
import {
  beatenPolicies,
  knownPolicies,
  missText,
  nearMisses,
  policyText,
  selectionText,
} from '../policy-choice.ts';
import { read, type WorkSnapshot } from '../snapshot.ts';

/** True for a namespace that goes to all clusters by itself, unless a label keeps it out. */
const isSentAlways = ({ apiVersion, kind, metadata }: Template): boolean =>
  apiVersion === 'v1' &&
  kind === 'Namespace' &&
  metadata.deletionTimestamp === undefined &&
  isSyncedNamespace(metadata.name);

const standardKinds = createInterpreter([...nativeKinds, ...frameworkKinds]);

const detectionOf = (
  template: Template,
  policies: readonly AnyPolicy[],
  { binding, overrides, priorityClasses }: WorkSnapshot,
): Detection => {
  const currentBinding = read(binding, undefined);
  const names = read(overrides, undefined);
  return detect(template, {
    policies: knownPolicies(template, policies),
    interpreter: standardKinds,
    bindingOf: (name) => (currentBinding?.metadata.name === name ? currentBinding : undefined),
    hasOverride: ({ metadata: { namespace } }, name) =>
      names?.includes(namespace === undefined ? name : `${namespace}/${name}`) ?? true,
    priorityOf: (name) => ('value' in priorityClasses ? priorityClasses.value.get(name) : 0),
  });
};

const noPolicy = (
  template: Template,
  policies: readonly AnyPolicy[],
  isComplete: boolean,
): Finding => {
  const misses = nearMisses(template, policies);
  const near = misses.length === 0 ? '' : `: ${misses.map(missText).join('; ')}`;
  return {
    stage: 'policy',
    reason: 'NoPolicy',
    severity: 'holds',
    by: 'user',
    message: `no propagation policy${isComplete ? '' : ' that you may read'} selects it${near}`,
    details: { nearMisses: misses },
  };
};

/** Namespaces go to the clusters without a policy, unless a label keeps one out. */
const namespaceFinding = (template: Template): Finding => {
  const base = { stage: 'policy', by: 'user' } as const;
  return skipsMembers(template)
    ? {
        ...base,
        reason: 'NoPolicy',
        severity: 'holds',
        message: `its label ${SKIPS_MEMBERS} keeps it out of the clusters, and no propagation policy selects it`,
      }
    : {
        ...base,
        reason: 'NamespaceSent',
        severity: 'info',
        message: 'it goes to all clusters by itself: a namespace needs no policy',
      };
};

const notForUs = (template: Template): Finding => {
  const { metadata } = template;
  const base = { stage: 'template', severity: 'holds' } as const;
  if (metadata.deletionTimestamp !== undefined) {
    const finalizers = metadata.finalizers ?? [];
    const finalizersText =
      finalizers.length === 0 ? '' : `, and its finalizers keep it: ${finalizers.join(', ')}`;
    return {
      ...base,
      reason: 'TemplateGoing',
      by: 'user',
      since: metadata.deletionTimestamp,
      message: `it is being deleted${finalizersText}`,
    };
  }
  if (/^(karmada-|kube-)/.test(metadata.namespace ?? '')) {
    const message = `the namespace ${metadata.namespace} is the control plane's own, and nothing in it is propagated`;
    return { ...base, reason: 'ReservedNamespace', by: 'user', message };
  }
  const message = 'it says that somebody else looks after it, so that no policy has it';
  return { ...base, reason: 'OwnedByOthers', by: 'user', message };
};

/** The policy of the work, and the policies that lost to it. */
const choiceFindings = (
  template: Template,
  policy: AnyPolicy,
  policies: readonly AnyPolicy[],
): readonly Finding[] => {
  const losers = beatenPolicies(template, policy, knownPolicies(template, policies));
  if (losers.length === 0) return [];
  const others = losers.map((one) => `not ${one.policy}: ${one.why}`).join('; ');
  return [
    {
      stage: 'policy',
      reason: 'OtherPolicies',
      severity: 'info',
      by: 'policy',
      message: `${policyText(policy)} has it, which ${selectionText(policy, template)}; ${others}`,
      details: { policy: policyText(policy), beaten: losers },
    },
  ];
};

const waitFinding = (detection: Detection): Finding | undefined => {
  const base = { stage: 'policy', severity: 'holds', by: 'user' } as const;
  switch (detection.kind) {
    case 'waits-for-overrides': {
      const { policy, missing } = detection;
      const message = `${policyText(policy)} waits for override policies that do not exist: ${missing.join(', ')}`;
      return { ...base, reason: 'OverrideMissing', message, details: { missing } };
    }
    case 'waits-for-priority-class': {
      const { policy, missing } = detection;
      const message = `${policyText(policy)} names the PriorityClass ${missing}, which does not exist`;
      return { ...base, reason: 'PriorityClassMissing', message, details: { missing } };
    }
    case 'waits-for-change': {
      const message = `${policyText(detection.policy)} is lazy and came after it: it takes effect when the object changes`;
      return { ...base, reason: 'LazyPolicy', message };
    }
    case 'name-taken': {
      const message = `the binding ${detection.bindingName} still belongs to an earlier object of that name`;
      return { ...base, reason: 'NameTaken', by: 'control plane', message };
    }
    default:
      return undefined;
  }
};

/** The way from the template to its binding: the policy, the policies that lost, and the reason to wait. */
export const policyStage = (snapshot: WorkSnapshot): readonly Finding[] => {
  const template = read(snapshot.template, undefined);
  const binding = read(snapshot.binding, undefined);
  if (template === undefined) return [];
  if (!('value' in snapshot.policies)) {
    const isUnbound = 'value' in snapshot.binding && binding === undefined;
    if (isUnbound && isSentAlways(template)) return [namespaceFinding(template)];
    const message =
      'it has no binding, so that no policy has it; the policies themselves cannot be read';
    const base = { stage: 'policy', severity: 'holds', by: 'user' } as const;
    return isUnbound ? [{ ...base, reason: 'NoPolicy', message }] : [];
  }
  const policies = snapshot.policies.value;
  // Dependencies need no policy.
  if (binding !== undefined && binding.spec.placement === undefined) return [];
  const detection = detectionOf(template, policies, snapshot);
  if (detection.kind === 'for-others') return binding === undefined ? [notForUs(template)] : [];
  if (detection.kind === 'unselected') {
    if (binding !== undefined) return [];
    return isSentAlways(template)
      ? [namespaceFinding(template)]
      : [noPolicy(template, policies, snapshot.arePoliciesComplete)];
  }
  const waitReason = waitFinding(detection);
  if (waitReason !== undefined) return binding === undefined ? [waitReason] : [];
  const others = choiceFindings(template, detection.policy, policies);
  if (binding !== undefined || !('value' in snapshot.binding)) return others;
  const message = `${policyText(detection.policy)} selects it, and its binding is not there yet`;
  return [
    { stage: 'policy', reason: 'NotDetected', severity: 'holds', by: 'control plane', message },
    ...others,
  ];
};
