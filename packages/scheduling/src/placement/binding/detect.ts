import { controllerOf } from '@perigee/api/values/owner-references';
import { present } from '@perigee/schema/present';
import type { Interpreter } from '../../interpreter/interpreter.ts';
import { FOUND_BY_LAZY, waitsForChange } from '../policy/lazy-policy.ts';
import { isNeverPropagated } from '../policy/never-propagated.ts';
import { type AnyPolicy, type KnownPolicies, policyFor } from '../policy/policy-for.ts';
import { propagatedBy, withoutPolicy, withPolicy } from '../policy/propagated-by.ts';
import type { Binding } from './binding.ts';
import { type DesiredBinding, desiredBinding, type Template } from './desired-binding.ts';
import { nameOfBinding } from './name-of-binding.ts';
import { isRunHere } from './run-here.ts';
import { TEMPLATE_DIGEST, templateDigest } from './template-digest.ts';

type Marks = ReturnType<typeof withPolicy>;

/**
 * The detector's decision about a template. `marks` are the labels and annotations to write to it.
 */
export type Detection =
  /** Not propagated: reserved for other controllers, or being deleted. */
  | { readonly kind: 'for-others' }
  | {
      readonly kind: 'unselected';
      readonly marks?: Marks;
      /** The binding that still has the marks of a policy. */
      readonly markedBinding?: Binding;
    }
  | {
      readonly kind: 'waits-for-overrides';
      readonly policy: AnyPolicy;
      readonly missing: readonly string[];
    }
  | {
      readonly kind: 'waits-for-priority-class';
      readonly policy: AnyPolicy;
      readonly missing: string;
    }
  | {
      readonly kind: 'waits-for-change';
      readonly policy: AnyPolicy;
      readonly marks: Marks;
      readonly isChange: boolean;
    }
  /** A binding with this name still belongs to an earlier object. */
  | {
      readonly kind: 'name-taken';
      readonly policy: AnyPolicy;
      readonly marks: Marks;
      readonly bindingName: string;
    }
  | {
      readonly kind: 'propagated';
      readonly policy: AnyPolicy;
      readonly marks: Marks;
      readonly currentBinding: Binding | undefined;
      /**
       * Absent if the binding must not change: with a lazy policy, only a template change updates
       * it.
       */
      readonly desired?: DesiredBinding;
    };

/** Lookups for the decision. */
export interface DetectorWorld {
  readonly policies: KnownPolicies;
  readonly interpreter: Interpreter;
  /** Finds a binding by name, in the template's namespace. */
  readonly bindingOf: (name: string) => Binding | undefined;
  /** True if the override policy exists, in the scope of the policy that waits for it. */
  readonly hasOverride: (policy: AnyPolicy, name: string) => boolean;
  /** The value of a PriorityClass. */
  readonly priorityOf: (className: string) => number | undefined;
}

/** Namespaces of the control plane, which are never propagated. */
const isReserved = (namespace = ''): boolean => /^(karmada-|kube-)/.test(namespace);

const isForOthers = (template: Template): boolean => {
  const { metadata } = template;
  return (
    metadata.deletionTimestamp !== undefined ||
    isNeverPropagated(template) ||
    isReserved(metadata.namespace) ||
    metadata.labels?.['resourcetemplate.karmada.io/claimed-by'] !== undefined ||
    metadata.annotations?.['resourcetemplate.karmada.io/claimed-by'] !== undefined ||
    isRunHere(template)
  );
};

const refTo = ({ apiVersion, kind, metadata: { namespace, name } }: Template) => ({
  apiVersion,
  kind,
  ...present({ namespace }),
  name,
});

const propagation = (template: Template, policy: AnyPolicy, world: DetectorWorld): Detection => {
  const { interpreter, bindingOf, hasOverride, priorityOf } = world;
  const missingOverrides = (policy.spec.dependentOverrides ?? []).filter(
    (one) => !hasOverride(policy, one),
  );
  if (missingOverrides.length > 0)
    return { kind: 'waits-for-overrides', policy, missing: missingOverrides };
  const { priorityClassName } = policy.spec.schedulePriority ?? {};
  const schedulePriority =
    priorityClassName === undefined ? undefined : priorityOf(priorityClassName);
  if (priorityClassName !== undefined && schedulePriority === undefined) {
    return { kind: 'waits-for-priority-class', policy, missing: priorityClassName };
  }
  const bindingName = nameOfBinding(refTo(template), bindingOf);
  const currentBinding = bindingOf(bindingName);
  const digest = templateDigest(template);
  const marks = withPolicy(template.metadata, policy);
  if (currentBinding === undefined && waitsForChange(template, policy, digest)) {
    const isChange = template.metadata.annotations?.[FOUND_BY_LAZY] === undefined;
    const annotations = { ...marks.annotations, [FOUND_BY_LAZY]: digest };
    return { kind: 'waits-for-change', policy, marks: { ...marks, annotations }, isChange };
  }
  const owner = currentBinding === undefined ? undefined : controllerOf(currentBinding);
  if (owner !== undefined && owner.uid !== template.metadata.uid) {
    return { kind: 'name-taken', policy, marks, bindingName };
  }
  const isNew = currentBinding?.metadata.annotations?.[TEMPLATE_DIGEST] !== digest;
  if (policy.spec.activationPreference === 'Lazy' && !isNew) {
    return { kind: 'propagated', policy, marks, currentBinding };
  }
  const kindInterpreter = interpreter.of(template.apiVersion, template.kind);
  const desired = desiredBinding(template, policy, kindInterpreter, {
    bindingName,
    schedulePriority,
  });
  return { kind: 'propagated', policy, marks, currentBinding, desired };
};

/** The binding of a template, if it has the marks of a policy. */
const markedBindingOf = (template: Template, { bindingOf }: DetectorWorld): Binding | undefined => {
  const binding = bindingOf(nameOfBinding(refTo(template), bindingOf));
  return binding !== undefined &&
    controllerOf(binding)?.uid === template.metadata.uid &&
    propagatedBy(binding.metadata) !== undefined
    ? binding
    : undefined;
};

/** Decides how a template is propagated: by which policy, and with which binding. */
export const detect = (template: Template, world: DetectorWorld): Detection => {
  if (isForOthers(template)) return { kind: 'for-others' };
  const policy = policyFor(template, world.policies);
  if (policy !== undefined) return propagation(template, policy, world);
  const isMarked = propagatedBy(template.metadata) !== undefined;
  return {
    kind: 'unselected',
    ...present({
      marks: isMarked ? withoutPolicy(template.metadata) : undefined,
      markedBinding: markedBindingOf(template, world),
    }),
  };
};
