import { MASTERS } from '@perigee/kubernetes/authorization/attributes';
import {
  aggregatedRole,
  bindRole,
  groupNamed,
  type PolicySet,
  partOf,
  roleOf,
} from './policy-set.ts';
import { on, paths, READ, READ_WRITE, WRITE } from './rules.ts';

const AUTHENTICATED = groupNamed('system:authenticated');
const UNAUTHENTICATED = groupNamed('system:unauthenticated');

/** For users and readers of the API: the roles that every cluster has. */
export const USER_POLICY: PolicySet = {
  roles: [
    roleOf('cluster-admin', [on('*', '*', '*'), paths('*', '*')]),
    aggregatedRole('admin'),
    aggregatedRole('edit', 'admin'),
    aggregatedRole('view', 'edit'),
    partOf('admin', [
      on('create', 'authorization.k8s.io', 'localsubjectaccessreviews'),
      on(READ_WRITE, 'rbac.authorization.k8s.io', 'rolebindings roles'),
    ]),
    partOf('edit', [
      on(READ, '', 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy'),
      on('impersonate', '', 'serviceaccounts'),
      on(WRITE, '', 'pods pods/attach pods/exec pods/portforward pods/proxy'),
      on('create', '', 'pods/eviction'),
      on(
        WRITE,
        '',
        'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      ),
      on('create', '', 'serviceaccounts/token'),
      on(WRITE, ['', 'events.k8s.io'], 'events'),
      on(
        WRITE,
        'apps',
        'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      ),
      on(WRITE, 'autoscaling', 'horizontalpodautoscalers'),
      on(WRITE, 'batch', 'cronjobs jobs'),
      on(
        WRITE,
        'extensions',
        'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      ),
      on(WRITE, 'policy', 'poddisruptionbudgets'),
      on(WRITE, 'networking.k8s.io', 'ingresses networkpolicies'),
      on(READ_WRITE, 'coordination.k8s.io', 'leases'),
      on(WRITE, 'resource.k8s.io', 'resourceclaims resourceclaimtemplates'),
    ]),
    partOf('view', [
      on(
        READ,
        '',
        'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      ),
      on(
        READ,
        '',
        'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      ),
      on(READ, '', 'namespaces'),
      on(READ, ['', 'events.k8s.io'], 'events'),
      on(READ, 'discovery.k8s.io', 'endpointslices'),
      on(
        READ,
        'apps',
        'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      ),
      on(READ, 'autoscaling', 'horizontalpodautoscalers horizontalpodautoscalers/status'),
      on(READ, 'batch', 'cronjobs cronjobs/status jobs jobs/status'),
      on(
        READ,
        'extensions',
        'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      ),
      on(READ, 'policy', 'poddisruptionbudgets poddisruptionbudgets/status'),
      on(READ, 'networking.k8s.io', 'ingresses ingresses/status networkpolicies'),
      on(READ, 'resource.k8s.io', 'resourceclaims resourceclaims/status resourceclaimtemplates'),
    ]),
    roleOf('system:basic-user', [
      on('create', 'authorization.k8s.io', 'selfsubjectaccessreviews selfsubjectrulesreviews'),
      on('create', 'authentication.k8s.io', 'selfsubjectreviews'),
    ]),
    roleOf('system:discovery', [
      paths(
        'get',
        '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      ),
    ]),
    roleOf('system:monitoring', [
      paths(
        'get',
        '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz',
      ),
      on('get', '', 'nodes/metrics'),
    ]),
    roleOf('system:public-info-viewer', [
      paths('get', '/healthz /livez /readyz /version /version/'),
    ]),
    roleOf('system:service-account-issuer-discovery', [
      paths(
        'get',
        '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      ),
    ]),
  ],
  bindings: [
    bindRole('cluster-admin', groupNamed(MASTERS)),
    bindRole('system:basic-user', AUTHENTICATED),
    bindRole('system:discovery', AUTHENTICATED),
    bindRole('system:monitoring', groupNamed('system:monitoring')),
    bindRole('system:public-info-viewer', AUTHENTICATED, UNAUTHENTICATED),
    bindRole('system:service-account-issuer-discovery', groupNamed('system:serviceaccounts')),
  ],
};
