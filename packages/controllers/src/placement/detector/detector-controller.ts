import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { isInvalid } from '@perigee/kube/errors';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import {
  type Detection,
  type DetectorWorld,
  detect,
} from '@perigee/scheduling/placement/binding/detect';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { withoutPolicy } from '@perigee/scheduling/placement/policy/propagated-by';
import { changeMetadata } from './change-metadata.ts';
import { hasOverride, policiesAbout, policyIndexes } from './policies.ts';
import { templateOfRef } from './template-key.ts';
import { TemplateSource } from './template-source.ts';
import { writeBinding } from './write-binding.ts';

export interface DetectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly interpreter: Interpreter;
}

const FIELD_MANAGER = 'perigee-detector';

const nameOf = ({ metadata }: AnyPolicy): string =>
  metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;

const bindingKindOf = ({ metadata }: Template): BindingKind =>
  (metadata.namespace === undefined ? ClusterResourceBinding : ResourceBinding) as BindingKind;

/** The inputs of the detector for a template, from the caches. */
const worldOf = (template: Template, interpreter: Interpreter, cache: Caches): DetectorWorld => {
  const { namespace } = template.metadata;
  const kind = bindingKindOf(template);
  return {
    interpreter,
    policies: policiesAbout(cache, template),
    bindingOf: (name) => cache(kind).get(namespace === undefined ? { name } : { namespace, name }),
    hasOverride: (policy, name) => hasOverride(cache, policy, name),
    priorityOf: (name) => cache(PriorityClass).get({ name })?.value,
  };
};

/** Writes the result of a detection, and the Events about it on the template. */
const follow = async (
  detection: Detection,
  template: Template,
  resource: ResourceKind,
  context: ReconcileContext,
): Promise<void> => {
  const { client, events, signal } = context;
  if ('marks' in detection && detection.marks !== undefined) {
    await changeMetadata(resource, template, detection.marks, FIELD_MANAGER, context);
  }
  switch (detection.kind) {
    case 'for-others':
      return;
    case 'unselected': {
      const { markedBinding } = detection;
      if (markedBinding === undefined) return;
      const bare = withoutPolicy(markedBinding.metadata);
      await changeMetadata(bindingKindOf(template), markedBinding, bare, FIELD_MANAGER, context);
      return;
    }
    case 'waits-for-overrides': {
      const { policy, missing } = detection;
      const message = `Apply policy(${nameOf(policy)}) waits for the override policies ${missing.join(', ')}`;
      events.warning(template, 'ApplyPolicyFailed', message);
      return;
    }
    case 'waits-for-priority-class':
      throw new Error(
        `there is no PriorityClass ${detection.missing}, which the policy's schedulePriority names`,
      );
    case 'waits-for-change': {
      if (!detection.isChange) return;
      const message = `Policy(${nameOf(detection.policy)}) is lazy and came later: it takes effect with the next change of this object`;
      events.normal(template, 'LazyPolicyWaits', message);
      return;
    }
    case 'name-taken':
      throw new Error(
        `the binding ${detection.bindingName} still belongs to an earlier ${template.kind} of this name`,
      );
    case 'propagated': {
      const { policy, currentBinding, desired } = detection;
      if (desired === undefined) return;
      const options = { fieldManager: FIELD_MANAGER, signal };
      const kind = bindingKindOf(template);
      try {
        if (!(await writeBinding(client, kind, currentBinding, desired, options))) return;
      } catch (error) {
        if (isInvalid(error) && error instanceof Error) {
          const message = `Apply policy(${nameOf(policy)}) failed: ${error.message}`;
          events.warning(template, 'ApplyPolicyFailed', message);
        }
        throw error;
      }
      events.normal(template, 'ApplyPolicySucceed', `Apply policy(${nameOf(policy)}) succeed`);
    }
  }
};

/** Creates bindings for the objects that policies select. */
export const detectorController = ({
  client,
  clock,
  interpreter,
}: DetectorOptions): ControllerDefinition => {
  const source = new TemplateSource(client, clock);
  return defineController({
    name: 'detector',
    watches: [source],
    indexes: policyIndexes,
    reads: [PriorityClass],
    concurrency: 8,
    async reconcile(ref, context) {
      const key = templateOfRef(ref);
      const informer = source.templates?.of(key.apiVersion, key.kind);
      const template = informer?.get(key);
      if (informer === undefined || template === undefined) return undefined;
      const detection = detect(template, worldOf(template, interpreter, context.cache));
      await follow(detection, template, informer.kind, context);
      return undefined;
    },
  });
};
