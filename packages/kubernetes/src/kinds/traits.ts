import type { JsonObject } from '@perigee/schema/json';
import { numberAt, objectAt, textAt, textsAt, withField } from '@perigee/schema/json-fields';
import { present } from '@perigee/schema/present';
import { checkDnsLabel, checkPathSegment } from '@perigee/schema/values/names';
import type { Strategy } from '../resource/strategy.ts';
import { reachOf, unreachedOf } from './reach.ts';

/** Kinds whose `metadata.generation` counts; all other built-in kinds have none. */
const COUNTED = new Set([
  'core.v1.Pod',
  'core.v1.PodTemplate',
  'core.v1.ReplicationController',
  'apps.v1.DaemonSet',
  'apps.v1.Deployment',
  'apps.v1.ReplicaSet',
  'apps.v1.StatefulSet',
  'batch.v1.CronJob',
  'batch.v1.Job',
  'networking.v1.IngressClass',
  'networking.v1.Ingress',
  'networking.v1.NetworkPolicy',
  'policy.v1.PodDisruptionBudget',
  'discovery.v1.EndpointSlice',
  'admissionregistration.v1.MutatingAdmissionPolicy',
  'admissionregistration.v1.MutatingAdmissionPolicyBinding',
  'admissionregistration.v1.MutatingWebhookConfiguration',
  'admissionregistration.v1.ValidatingAdmissionPolicy',
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  'admissionregistration.v1.ValidatingWebhookConfiguration',
  'apiextensions.v1.CustomResourceDefinition',
  'resource.v1.DeviceClass',
  'resource.v1.ResourceSlice',
  'flowcontrol.v1.FlowSchema',
  'flowcontrol.v1.PriorityLevelConfiguration',
]);

/** Kinds whose dependents are orphaned by default, as before garbage collection existed. */
const ORPHANING = new Set(['core.v1.ReplicationController', 'batch.v1.Job']);

const ORPHAN_WARNING =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

/** Kinds whose updates need a resource version. */
const VERSIONED = new Set([
  'coordination.v1.Lease',
  'policy.v1.PodDisruptionBudget',
  'node.v1.RuntimeClass',
  'storage.v1.CSIDriver',
  'storage.v1.CSINode',
  'storage.v1.CSIStorageCapacity',
  'storage.v1.VolumeAttachment',
  'admissionregistration.v1.MutatingAdmissionPolicy',
  'admissionregistration.v1.MutatingAdmissionPolicyBinding',
  'admissionregistration.v1.MutatingWebhookConfiguration',
  'admissionregistration.v1.ValidatingAdmissionPolicy',
  'admissionregistration.v1.ValidatingAdmissionPolicyBinding',
  'admissionregistration.v1.ValidatingWebhookConfiguration',
  'apiregistration.v1.APIService',
]);

/** Kinds whose deletion answers with the object. */
const SHOWN_WHEN_DELETED = new Set([
  'core.v1.Namespace',
  'core.v1.PersistentVolume',
  'core.v1.PersistentVolumeClaim',
  'core.v1.Pod',
  'core.v1.PodTemplate',
  'core.v1.ResourceQuota',
  'core.v1.Service',
  'core.v1.ServiceAccount',
  'resource.v1.DeviceClass',
  'resource.v1.ResourceClaim',
  'resource.v1.ResourceClaimTemplate',
  'resource.v1.ResourceSlice',
  'storage.v1.CSIDriver',
  'storage.v1.CSINode',
  'storage.v1.StorageClass',
  'storage.v1.VolumeAttachment',
  'storage.v1.VolumeAttributesClass',
]);

const REFERENCE_FIELDS = 'kind namespace name uid apiVersion resourceVersion fieldPath'.split(' ');

const SELECTABLE: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'core.v1.Pod',
    [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
  ],
  ['core.v1.Secret', ['type']],
  ['core.v1.Namespace', ['status.phase']],
  ['core.v1.Node', ['spec.unschedulable']],
  ['core.v1.Service', ['spec.clusterIP', 'spec.type']],
  [
    'core.v1.Event',
    [
      ...REFERENCE_FIELDS.map((name) => `involvedObject.${name}`),
      ...['reason', 'reportingComponent', 'type'],
    ],
  ],
  [
    'events.v1.Event',
    [
      ...REFERENCE_FIELDS.map((name) => `regarding.${name}`),
      ...['reason', 'reportingController', 'type'],
    ],
  ],
  ['core.v1.ReplicationController', ['status.replicas']],
  ['certificates.v1.CertificateSigningRequest', ['spec.signerName']],
  ['resource.v1.ResourceSlice', ['spec.nodeName', 'spec.driver']],
]);

/** Fields that go by another name than the object has them under, or by more than one. */
const COMPUTED = new Map<string, NonNullable<Strategy['computedFields']>>([
  [
    'core.v1.Event',
    {
      source: (event) =>
        textAt(objectAt(event, 'source'), 'component') || textAt(event, 'reportingComponent'),
    },
  ],
  ['core.v1.Pod', { 'spec.host': (pod) => textAt(objectAt(pod, 'spec'), 'nodeName') }],
  [
    'batch.v1.Job',
    { 'status.successful': (job) => String(numberAt(objectAt(job, 'status'), 'succeeded') ?? 0) },
  ],
]);

const NAMES: ReadonlyMap<string, Strategy['checkName']> = new Map([
  ['core.v1.Namespace', checkDnsLabel],
  ['core.v1.Service', checkDnsLabel],
  ['apps.v1.StatefulSet', checkDnsLabel],
  ['apiregistration.v1.APIService', checkPathSegment],
  ['certificates.v1.CertificateSigningRequest', checkPathSegment],
  ['policy.v1.PodDisruptionBudget', checkPathSegment],
  ['rbac.v1.Role', checkPathSegment],
  ['rbac.v1.RoleBinding', checkPathSegment],
  ['rbac.v1.ClusterRole', checkPathSegment],
  ['rbac.v1.ClusterRoleBinding', checkPathSegment],
]);

/** Fields that the types require, and that kube-apiserver reports in other words, or not at all. */
const DISPENSABLE: ReadonlyMap<string, readonly string[]> = new Map([
  ['apps.v1.DaemonSet', ['spec.selector']],
  ['core.v1.Node', ['spec.taints[].effect', 'spec.taints[].key']],
  ['rbac.v1.ClusterRoleBinding', ['roleRef.kind', 'subjects[].kind']],
  ['rbac.v1.RoleBinding', ['roleRef.kind', 'subjects[].kind']],
]);

/** A pod that runs nowhere, or no longer, has nothing to bring to an end. */
const graceOfPod = (pod: JsonObject): number => {
  const spec = objectAt(pod, 'spec');
  const { phase } = objectAt(pod, 'status');
  if (textAt(spec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  return numberAt(spec, 'terminationGracePeriodSeconds') ?? 30;
};

/** A namespace is first marked as terminating. It is removed when the namespace controller is done. */
const NAMESPACE_END: Strategy = {
  undeletable: ['default', 'kube-system', 'kube-public'],
  isHeld: (namespace) =>
    textsAt(objectAt(namespace, 'spec'), 'finalizers').length > 0 ||
    objectAt(namespace, 'metadata').deletionTimestamp === undefined,
  ending: (namespace) => ({
    ...namespace,
    metadata: withField(objectAt(namespace, 'metadata'), 'deletionGracePeriodSeconds', undefined),
    status: { ...objectAt(namespace, 'status'), phase: 'Terminating' },
  }),
};

/** Kinds that a PUT creates where there is none. */
const CREATED_BY_UPDATES = new Set([
  'core.v1.Endpoints',
  'core.v1.Event',
  'core.v1.LimitRange',
  'core.v1.Service',
  'coordination.v1.Lease',
  'events.v1.Event',
  'node.v1.RuntimeClass',
  'rbac.v1.ClusterRole',
  'rbac.v1.ClusterRoleBinding',
  'rbac.v1.Role',
  'rbac.v1.RoleBinding',
]);

/** Traits of a built-in kind, apart from its schema and its rules. */
export const traitsOf = (typeName: string): Omit<Strategy, 'defaults' | 'prepare' | 'validate'> => {
  const selectableFields = SELECTABLE.get(typeName);
  const computedFields = COMPUTED.get(typeName);
  const checkName = NAMES.get(typeName);
  const dispensable = DISPENSABLE.get(typeName);
  const reach = reachOf(typeName);
  const unreached = unreachedOf(typeName);
  return {
    hasGeneration: COUNTED.has(typeName),
    ...present({
      countsAnnotations: typeName === 'apps.v1.Deployment' || undefined,
      // A kubelet registers its node together with what the node has.
      bornWithStatus: typeName === 'core.v1.Node' || undefined,
      dispensable,
      settled: typeName === 'scheduling.v1.PriorityClass' ? ['preemptionPolicy'] : undefined,
      judgesMetadataLast: typeName === 'policy.v1.PodDisruptionBudget' || undefined,
      orphansDependents: ORPHANING.has(typeName) || undefined,
      orphanWarning: typeName === 'batch.v1.Job' ? ORPHAN_WARNING : undefined,
      allowsBlindUpdate: VERSIONED.has(typeName) ? false : undefined,
      returnsDeleted: SHOWN_WHEN_DELETED.has(typeName) || undefined,
      createsOnUpdate: CREATED_BY_UPDATES.has(typeName) || undefined,
      graceSeconds: typeName === 'core.v1.Pod' ? graceOfPod : undefined,
      selectableFields,
      computedFields,
      reach,
      unreached,
      checkName,
    }),
    ...(typeName === 'core.v1.Namespace' ? NAMESPACE_END : {}),
  };
};
