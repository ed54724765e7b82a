import type { ComputedColumn } from '../resource/resource-description.ts';
import * as apps from './apps.ts';
import { horizontalPodAutoscalerColumns } from './autoscaling.ts';
import * as batch from './batch.ts';
import { certificateSigningRequestColumns } from './certificates.ts';
import * as config from './config.ts';
import { eventColumns } from './events.ts';
import * as networking from './networking.ts';
import { nodeColumns } from './nodes.ts';
import { podColumns } from './pods.ts';
import * as policy from './policy.ts';
import { bindingColumns } from './rbac.ts';
import * as services from './services.ts';
import * as storage from './storage.ts';

type Columns = readonly ComputedColumn[];

const COLUMNS: ReadonlyMap<string, Columns> = new Map<string, Columns>([
  ['apiservices.apiregistration.k8s.io', services.apiServiceColumns],
  ['configmaps', config.configMapColumns],
  ['endpoints', services.endpointsColumns],
  ['events', eventColumns],
  ['namespaces', config.namespaceColumns],
  ['nodes', nodeColumns],
  ['persistentvolumeclaims', storage.persistentVolumeClaimColumns],
  ['persistentvolumes', storage.persistentVolumeColumns],
  ['pods', podColumns],
  ['replicationcontrollers', apps.replicationControllerColumns],
  ['resourcequotas', policy.resourceQuotaColumns],
  ['secrets', config.secretColumns],
  ['serviceaccounts', config.serviceAccountColumns],
  ['services', services.serviceColumns],
  ['controllerrevisions.apps', apps.controllerRevisionColumns],
  ['daemonsets.apps', apps.daemonSetColumns],
  ['deployments.apps', apps.deploymentColumns],
  ['replicasets.apps', apps.replicaSetColumns],
  ['statefulsets.apps', apps.statefulSetColumns],
  ['horizontalpodautoscalers.autoscaling', horizontalPodAutoscalerColumns],
  ['cronjobs.batch', batch.cronJobColumns],
  ['jobs.batch', batch.jobColumns],
  ['certificatesigningrequests.certificates.k8s.io', certificateSigningRequestColumns],
  ['leases.coordination.k8s.io', config.leaseColumns],
  ['endpointslices.discovery.k8s.io', services.endpointSliceColumns],
  ['ingressclasses.networking.k8s.io', networking.ingressClassColumns],
  ['ingresses.networking.k8s.io', networking.ingressColumns],
  ['networkpolicies.networking.k8s.io', networking.networkPolicyColumns],
  ['poddisruptionbudgets.policy', policy.podDisruptionBudgetColumns],
  ['clusterrolebindings.rbac.authorization.k8s.io', bindingColumns],
  ['rolebindings.rbac.authorization.k8s.io', bindingColumns],
  ['priorityclasses.scheduling.k8s.io', policy.priorityClassColumns],
  ['storageclasses.storage.k8s.io', storage.storageClassColumns],
  [
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    config.webhookConfigurationColumns,
  ],
  [
    'validatingwebhookconfigurations.admissionregistration.k8s.io',
    config.webhookConfigurationColumns,
  ],
]);

/**
 * The columns that a built-in kind has in its table beside its name. Kinds without an entry show when
 * they were created, as roles and custom resource definitions do in Kubernetes.
 */
export const builtinColumns = (group: string, plural: string): Columns =>
  COLUMNS.get(group === '' ? plural : `${plural}.${group}`) ?? [];
