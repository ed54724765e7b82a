import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { isSameResource } from '@perigee/api/values/karmada-names';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import {
  mergedSettings,
  requiredSpec,
  snapshotsOf,
} from '@perigee/scheduling/placement/binding/attached-binding';
import { readDependencies } from '@perigee/scheduling/placement/binding/dependencies';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { nameOfBinding } from '@perigee/scheduling/placement/binding/name-of-binding';
import {
  TEMPLATE_DIGEST,
  templateDigest,
} from '@perigee/scheduling/placement/binding/template-digest';
import { type TemplateKey, templateOfRef } from '../detector/template-key.ts';
import { DependencySource, dependencyKeys } from './dependency-source.ts';

const FIELD_MANAGER = 'perigee-dependencies';
const BY_DEPENDENCY = 'depends-on';
const FINALIZER = 'karmada.io/binding-controller';

const textOf = ({ apiVersion, kind, namespace = '', name }: TemplateKey): string =>
  `${apiVersion} ${kind} ${namespace}/${name}`;

/** Creates a binding for a dependency, with the clusters of all workloads that need it. */
const attach = async (
  object: Template,
  bindingName: string,
  dependants: readonly ResourceBinding[],
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { apiVersion, kind, metadata } = object;
  const { namespace = '', name, uid, resourceVersion } = metadata;
  const { conflictResolution, preserveResourcesOnDeletion } = mergedSettings(dependants);
  await client.create(
    ResourceBinding,
    {
      metadata: {
        namespace,
        name: bindingName,
        annotations: { [TEMPLATE_DIGEST]: templateDigest(object) },
        ownerReferences: [ownerReferenceTo(object, { controller: true, blockOwnerDeletion: true })],
        finalizers: [FINALIZER],
      },
      spec: {
        resource: { apiVersion, kind, namespace, name, uid, resourceVersion },
        requiredBy: snapshotsOf(dependants),
        conflictResolution,
        preserveResourcesOnDeletion,
      },
    },
    { fieldManager: FIELD_MANAGER, signal },
  );
};

/** A binding without a policy of its own follows the changes of its object here. */
const upToDate = (binding: ResourceBinding, object: Template | undefined): ResourceBinding => {
  const { metadata, spec } = binding;
  if (object === undefined || spec.placement !== undefined) return binding;
  const digest = templateDigest(object);
  if (metadata.annotations?.[TEMPLATE_DIGEST] === digest) return binding;
  const { uid, resourceVersion } = object.metadata;
  return {
    ...binding,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [TEMPLATE_DIGEST]: digest } },
    spec: { ...spec, resource: { ...spec.resource, uid, resourceVersion } },
  };
};

const settle = async (
  binding: ResourceBinding,
  object: Template | undefined,
  dependants: readonly ResourceBinding[],
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { namespace = '', name, uid, resourceVersion } = binding.metadata;
  if (dependants.length === 0 && binding.spec.placement === undefined) {
    const preconditions = { uid, resourceVersion };
    await client.delete(ResourceBinding, { namespace, name }, { preconditions, signal });
    return;
  }
  const present = upToDate(binding, object);
  const spec = requiredSpec(present.spec, dependants);
  if (present === binding && spec === binding.spec) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await client.update(ResourceBinding, { ...present, spec }, options);
};

const isBinding = ({ apiVersion, kind }: TemplateKey): boolean =>
  kind === ResourceBinding.kind && apiVersion === apiVersionOf(ResourceBinding);

/** Writes the Event about the dependencies of a workload, in the words of Karmada. */
const reportDependencies = (
  binding: ResourceBinding | undefined,
  { events }: ReconcileContext,
): undefined => {
  if (binding === undefined) return;
  const dependencyTexts = readDependencies(binding.metadata.annotations).map(
    ({ apiVersion, kind, namespace = '', name = '' }) =>
      `{APIVersion:${apiVersion} Kind:${kind} Namespace:${namespace} Name:${name}}`,
  );
  const message = `Get dependencies([${dependencyTexts.join(' ')}]) succeed.`;
  for (const subject of [binding, binding.spec.resource]) {
    events.normal(subject, 'GetDependenciesSucceed', message);
  }
};

/** Propagates the dependencies of workloads to the same clusters. */
export const dependenciesController = ({
  client,
  clock,
}: {
  readonly client: Client;
  readonly clock: Clock;
}): ControllerDefinition => {
  const source = new DependencySource(client, clock);
  return defineController({
    name: 'dependencies',
    component: 'dependencies-distributor',
    watches: [source],
    indexes: [
      index(ResourceBinding, BY_DEPENDENCY, (binding) => dependencyKeys(binding).map(textOf)),
    ],
    concurrency: 8,
    async reconcile(ref, context) {
      const key = templateOfRef(ref);
      const { namespace = '' } = key;
      const bindings = context.cache(ResourceBinding);
      if (isBinding(key)) return reportDependencies(bindings.get(key), context);
      const dependants = bindings
        .byIndex(BY_DEPENDENCY, textOf(key))
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .filter(({ spec }) => (spec.clusters ?? []).length > 0);
      const bindingOf = (name: string) => bindings.get({ namespace, name });
      const bindingName = nameOfBinding(key, bindingOf);
      const present = bindingOf(bindingName);
      const object = source.objects?.of(key.apiVersion, key.kind)?.get(key);
      if (present !== undefined) {
        const isOfThis = isSameResource(present.spec.resource, key);
        const isTouched = dependants.length > 0 || present.spec.requiredBy !== undefined;
        if (present.metadata.deletionTimestamp === undefined && isOfThis && isTouched) {
          await settle(present, object, dependants, context);
        }
        return undefined;
      }
      if (object !== undefined && dependants.length > 0) {
        await attach(object, bindingName, dependants, context);
      }
      if (dependants.length > 0 && mergedSettings(dependants).differ) {
        const message = 'Those who depend on it want different conflict resolution or preservation';
        context.events.warning(object ?? key, 'DependencyPolicyConflict', message);
      }
      return undefined;
    },
  });
};
