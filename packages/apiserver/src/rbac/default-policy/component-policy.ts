import {
  bindRole,
  boundIn,
  type PolicySet,
  roleOf,
  systemAccount,
  userNamed,
} from './policy-set.ts';
import { EVENTS, on, READ } from './rules.ts';

const SYSTEM = { namespace: 'kube-system' };
const MANAGER = userNamed('system:kube-controller-manager');
const LEADER_LOCKING = 'system::leader-locking-kube-controller-manager';
const AUTHENTICATION_READER = 'extension-apiserver-authentication-reader';

/** For the programs around a cluster, by the names that they have in it. */
export const COMPONENT_POLICY: PolicySet = {
  roles: [
    roleOf('system:auth-delegator', [
      on('create', 'authentication.k8s.io', 'tokenreviews'),
      on('create', 'authorization.k8s.io', 'subjectaccessreviews'),
    ]),
    roleOf('system:kube-controller-manager', [
      EVENTS,
      on('create', 'coordination.k8s.io', 'leases'),
      on('get update', 'coordination.k8s.io', 'leases', 'kube-controller-manager'),
      on('create', '', 'secrets serviceaccounts'),
      on('delete', '', 'secrets'),
      on('get', '', 'configmaps namespaces secrets serviceaccounts'),
      on('update', '', 'secrets serviceaccounts'),
      on('create', 'authentication.k8s.io', 'tokenreviews'),
      on('create', 'authorization.k8s.io', 'subjectaccessreviews'),
      on('list watch', '*', '*'),
      on('create', '', 'serviceaccounts/token'),
    ]),
    roleOf('system:node', [
      on('create', 'authentication.k8s.io', 'tokenreviews'),
      on('create', 'authorization.k8s.io', 'localsubjectaccessreviews subjectaccessreviews'),
      on(READ, '', 'services'),
      on('create get list watch', '', 'nodes'),
      on('patch update', '', 'nodes/status'),
      on('patch update', '', 'nodes'),
      EVENTS,
      on(READ, '', 'pods'),
      on('create delete', '', 'pods'),
      on('patch update', '', 'pods/status'),
      on('create', '', 'pods/eviction'),
      on(READ, '', 'configmaps secrets'),
      on('get', '', 'persistentvolumeclaims persistentvolumes'),
      on('get', '', 'endpoints'),
      on('create get list watch', 'certificates.k8s.io', 'certificatesigningrequests'),
      on('create delete get patch update', 'coordination.k8s.io', 'leases'),
      on('get', 'storage.k8s.io', 'volumeattachments'),
      on('create', '', 'serviceaccounts/token'),
      on('get patch update', '', 'persistentvolumeclaims/status'),
      on(READ, 'storage.k8s.io', 'csidrivers'),
      on('create delete get patch update', 'storage.k8s.io', 'csinodes'),
      on(READ, 'node.k8s.io', 'runtimeclasses'),
      on('get', 'resource.k8s.io', 'resourceclaims'),
      on('deletecollection', 'resource.k8s.io', 'resourceslices'),
      on('get', '', 'serviceaccounts'),
    ]),
    roleOf(
      AUTHENTICATION_READER,
      [on(READ, '', 'configmaps', 'extension-apiserver-authentication')],
      SYSTEM,
    ),
    roleOf(
      LEADER_LOCKING,
      [
        on('create get list update watch', 'coordination.k8s.io', 'leases'),
        on('create get list update watch', 'coordination.k8s.io', 'leasecandidates'),
      ],
      SYSTEM,
    ),
  ],
  bindings: [
    bindRole('system:kube-controller-manager', MANAGER),
    // The node authorizer of Kubernetes took the place of this binding, which is kept without subjects.
    bindRole('system:node'),
    boundIn(
      'kube-system',
      `system::${AUTHENTICATION_READER}`,
      AUTHENTICATION_READER,
      MANAGER,
      userNamed('system:kube-scheduler'),
    ),
    boundIn(
      'kube-system',
      LEADER_LOCKING,
      LEADER_LOCKING,
      MANAGER,
      systemAccount('kube-controller-manager'),
      systemAccount('leader-election-controller'),
    ),
  ],
};
