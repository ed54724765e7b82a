import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { bindRole, type PolicySet, roleOf, systemAccount } from './policy-set.ts';
import { EVENTS, on, READ } from './rules.ts';

/** The controllers of Kubernetes that are of use without nodes of one's own, by their service accounts. */
const CONTROLLERS: { readonly [name: string]: readonly PolicyRule[] } = {
  'clusterrole-aggregation-controller': [
    on('escalate get list patch update watch', 'rbac.authorization.k8s.io', 'clusterroles'),
  ],
  'cronjob-controller': [
    on('get list update watch', 'batch', 'cronjobs'),
    on('create delete get list patch update watch', 'batch', 'jobs'),
    on('update', 'batch', 'cronjobs/status'),
    on('update', 'batch', 'cronjobs/finalizers'),
    on('delete list watch', '', 'pods'),
    EVENTS,
  ],
  'daemon-set-controller': [
    on(READ, ['apps', 'extensions'], 'daemonsets'),
    on('update', ['apps', 'extensions'], 'daemonsets/status'),
    on('update', ['apps', 'extensions'], 'daemonsets/finalizers'),
    on('list watch', '', 'nodes'),
    on('create delete list patch watch', '', 'pods'),
    on('create', '', 'pods/binding'),
    on('create delete get list patch update watch', 'apps', 'controllerrevisions'),
    EVENTS,
  ],
  'deployment-controller': [
    on('get list update watch', ['apps', 'extensions'], 'deployments'),
    on('update', ['apps', 'extensions'], 'deployments/status'),
    on('update', ['apps', 'extensions'], 'deployments/finalizers'),
    on('create delete get list patch update watch', ['apps', 'extensions'], 'replicasets'),
    on('get list update watch', '', 'pods'),
    EVENTS,
  ],
  'disruption-controller': [
    on(READ, ['apps', 'extensions'], 'deployments'),
    on(READ, ['apps', 'extensions'], 'replicasets'),
    on(READ, '', 'replicationcontrollers'),
    on(READ, 'policy', 'poddisruptionbudgets'),
    on(READ, 'apps', 'statefulsets'),
    on('update', 'policy', 'poddisruptionbudgets/status'),
    on('patch update', '', 'pods/status'),
    on('get', '*', '*/scale'),
    EVENTS,
  ],
  'endpoint-controller': [
    on(READ, '', 'pods services'),
    on('create delete get list update watch', '', 'endpoints'),
    on('create', '', 'endpoints/restricted'),
    EVENTS,
  ],
  'endpointslice-controller': [
    on(READ, '', 'nodes pods services'),
    on('update', '', 'services/finalizers'),
    on('create delete get list update watch', 'discovery.k8s.io', 'endpointslices'),
    EVENTS,
  ],
  'generic-garbage-collector': [on('delete get list patch update watch', '*', '*'), EVENTS],
  'horizontal-pod-autoscaler': [
    on(READ, 'autoscaling', 'horizontalpodautoscalers'),
    on('update', 'autoscaling', 'horizontalpodautoscalers/status'),
    on('get update', '*', '*/scale'),
    on('list watch', '', 'pods'),
    on('list watch', 'metrics.k8s.io', 'pods'),
    on(READ, 'custom.metrics.k8s.io', '*'),
    on(READ, 'external.metrics.k8s.io', '*'),
    EVENTS,
  ],
  'job-controller': [
    on('get list patch update watch', 'batch', 'jobs'),
    on('update', 'batch', 'jobs/status'),
    on('update', 'batch', 'jobs/finalizers'),
    on('create delete list patch watch', '', 'pods'),
    EVENTS,
  ],
  'namespace-controller': [
    on('delete get list watch', '', 'namespaces'),
    on('update', '', 'namespaces/finalize namespaces/status'),
    on('delete deletecollection get list watch', '*', '*'),
  ],
  'pod-garbage-collector': [
    on('delete list watch', '', 'pods'),
    on(READ, '', 'nodes'),
    on('patch', '', 'pods/status'),
  ],
  'replicaset-controller': [
    on('get list update watch', ['apps', 'extensions'], 'replicasets'),
    on('update', ['apps', 'extensions'], 'replicasets/status'),
    on('update', ['apps', 'extensions'], 'replicasets/finalizers'),
    on('create delete list patch watch', '', 'pods'),
    EVENTS,
  ],
  'replication-controller': [
    on('get list update watch', '', 'replicationcontrollers'),
    on('update', '', 'replicationcontrollers/status'),
    on('update', '', 'replicationcontrollers/finalizers'),
    on('create delete list patch watch', '', 'pods'),
    EVENTS,
  ],
  'resourcequota-controller': [
    on('list watch', '*', '*'),
    on('update', '', 'resourcequotas/status'),
    EVENTS,
  ],
  'root-ca-cert-publisher': [on('create update', '', 'configmaps'), EVENTS],
  'service-account-controller': [on('create', '', 'serviceaccounts'), EVENTS],
  'statefulset-controller': [
    on('list watch', '', 'pods'),
    on(READ, 'apps', 'statefulsets'),
    on('update', 'apps', 'statefulsets/status'),
    on('update', 'apps', 'statefulsets/finalizers'),
    on('create delete get patch update', '', 'pods'),
    on('create delete get list patch update watch', 'apps', 'controllerrevisions'),
    on('create get list watch', '', 'persistentvolumeclaims'),
    on('delete update', '', 'persistentvolumeclaims'),
    on('update', '', 'pods/finalizers'),
    EVENTS,
  ],
  'ttl-after-finished-controller': [on('delete get list watch', 'batch', 'jobs'), EVENTS],
};

const roleName = (controller: string): string => `system:controller:${controller}`;

/** For a kube-controller-manager whose controllers have service accounts of their own. */
export const CONTROLLER_POLICY: PolicySet = {
  roles: Object.entries(CONTROLLERS).map(([name, rules]) => roleOf(roleName(name), rules)),
  bindings: Object.keys(CONTROLLERS).map((name) => bindRole(roleName(name), systemAccount(name))),
};
