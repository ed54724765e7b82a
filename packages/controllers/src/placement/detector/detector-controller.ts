import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { controllerOf } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { isRunHere } from '@perigee/scheduling/flows/operation';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import {
  desiredBinding,
  type Template,
} from '@perigee/scheduling/placement/binding/desired-binding';
import { nameOfBinding } from '@perigee/scheduling/placement/binding/name-of-binding';
import {
  TEMPLATE_DIGEST,
  templateDigest,
} from '@perigee/scheduling/placement/binding/template-digest';
import { FOUND_BY_LAZY, waitsForChange } from '@perigee/scheduling/placement/policy/lazy-policy';
import { type AnyPolicy, policyFor } from '@perigee/scheduling/placement/policy/policy-for';
import {
  propagatedBy,
  withoutPolicy,
  withPolicy,
} from '@perigee/scheduling/placement/policy/propagated-by';
import { changeMetadata } from './change-metadata.ts';
import { missingOverrides, policiesAbout, policyIndexes } from './policies.ts';
import { priorityOf } from './priority-class.ts';
import { keyOf, templateOfRef } from './template-key.ts';
import { TemplateSource } from './template-source.ts';
import { writeBinding } from './write-binding.ts';

export interface DetectorOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly interpreter: Interpreter;
}

const FIELD_MANAGER = 'perigee-detector';

/** Namespaces of the control plane itself: nothing in them leaves it. */
const isReserved = (namespace = ''): boolean => /^(karmada-|kube-)/.test(namespace);

const isForOthers = (template: Template): boolean => {
  const { metadata } = template;
  return (
    metadata.deletionTimestamp !== undefined ||
    isReserved(metadata.namespace) ||
    metadata.labels?.['resourcetemplate.karmada.io/claimed-by'] !== undefined ||
    metadata.annotations?.['resourcetemplate.karmada.io/claimed-by'] !== undefined ||
    isRunHere(template)
  );
};

const nameOf = ({ metadata }: AnyPolicy): string =>
  metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;

const bindingKindOf = ({ metadata }: Template): BindingKind =>
  (metadata.namespace === undefined ? ClusterResourceBinding : ResourceBinding) as BindingKind;

const propagate = async (
  template: Template,
  resource: ResourceKind,
  policy: AnyPolicy,
  interpreter: Interpreter,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { cache, client, events, signal } = context;
  const missing = missingOverrides(cache, policy);
  if (missing.length > 0) {
    const message = `Apply policy(${nameOf(policy)}) waits for the override policies ${missing.join(', ')}`;
    events.warning(template, 'ApplyPolicyFailed', message);
    return undefined;
  }
  const kind = bindingKindOf(template);
  const known = interpreter.of(template.apiVersion, template.kind);
  const { namespace } = template.metadata;
  const bindingOf = (name: string) =>
    cache(kind).get(namespace === undefined ? { name } : { namespace, name });
  const name = nameOfBinding(keyOf(template), bindingOf);
  const desired = desiredBinding(template, policy, known, {
    bindingName: name,
    schedulePriority: priorityOf(cache, policy.spec),
  });
  const present = bindingOf(name);
  const digest = templateDigest(template);
  const marked = withPolicy(template.metadata, policy);
  if (present === undefined && waitsForChange(template, policy, digest)) {
    const isNews = template.metadata.annotations?.[FOUND_BY_LAZY] === undefined;
    const annotations = { ...marked.annotations, [FOUND_BY_LAZY]: digest };
    const words = { ...marked, annotations };
    await changeMetadata(resource, template, words, FIELD_MANAGER, context);
    if (isNews) {
      const message = `Policy(${nameOf(policy)}) is lazy and came later: it takes effect with the next change of this object`;
      events.normal(template, 'LazyPolicyWaits', message);
    }
    return undefined;
  }
  await changeMetadata(resource, template, marked, FIELD_MANAGER, context);
  const owner = present === undefined ? undefined : controllerOf(present);
  if (owner !== undefined && owner.uid !== template.metadata.uid) {
    throw new Error(
      `the binding ${name} still belongs to an earlier ${template.kind} of this name`,
    );
  }
  const isNew = present?.metadata.annotations?.[TEMPLATE_DIGEST] !== digest;
  // With a lazy policy, nothing is new until the template itself is.
  if (policy.spec.activationPreference === 'Lazy' && !isNew) return undefined;
  const options = { fieldManager: FIELD_MANAGER, signal };
  if (!(await writeBinding(client, kind, present, desired, options))) return undefined;
  events.normal(template, 'ApplyPolicySucceed', `Apply policy(${nameOf(policy)}) succeed`);
  return undefined;
};

/** Makes bindings of the objects that policies select. */
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
      if (informer === undefined || template === undefined || isForOthers(template))
        return undefined;
      const policy = policyFor(template, policiesAbout(context.cache, template));
      if (policy !== undefined) {
        return propagate(template, informer.kind, policy, interpreter, context);
      }
      if (propagatedBy(template.metadata) !== undefined) {
        const freed = withoutPolicy(template.metadata);
        await changeMetadata(informer.kind, template, freed, FIELD_MANAGER, context);
      }
      return undefined;
    },
  });
};
