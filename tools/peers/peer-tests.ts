/** The tests that need a peer: without it each is skipped, and says which variable names it. */
export const PEER_TESTS = {
  PERIGEE_TEST_KUBECONFIG: [
    'test/differential/kubernetes.test.ts',
    'packages/apiserver/test/authn/answers-on-kubernetes.test.ts',
    'packages/apiserver/test/cluster-controllers/gc-on-kubernetes.test.ts',
    'packages/apiserver/test/rbac/access-on-kubernetes.test.ts',
    'packages/apiserver/test/rbac/default-policy-on-kubernetes.test.ts',
    'packages/apiserver/test/rbac/escalation-on-kubernetes.test.ts',
    'test/crds-on-kubernetes.test.ts',
    'test/controllers/on-kubernetes.test.ts',
  ],
  PERIGEE_TEST_KUBE_CONTROLLER_MANAGER: ['test/clients/controller-manager.test.ts'],
  PERIGEE_TEST_GO: ['test/clients/client-go.test.ts'],
  PERIGEE_TEST_KARMADA: [
    'test/data/beside-karmada.long.test.ts',
    'test/data/claims-with-karmada.long.test.ts',
    'test/queues/beside-karmada.long.test.ts',
    'test/queues/on-kubernetes.long.test.ts',
    'test/queues/queues-with-karmada.long.test.ts',
  ],
  PERIGEE_TEST_KARMADA_SCHEDULER: ['test/placement/karmada-scheduler.test.ts'],
  PERIGEE_TEST_KARMADA_ESTIMATOR: ['test/room/karmada-estimator.test.ts'],
  PERIGEE_TEST_VOLCANO: ['test/groups/with-volcano.long.test.ts'],
} as const;

export type PeerVariable = keyof typeof PEER_TESTS;

export const PEER_VARIABLES = Object.keys(PEER_TESTS) as readonly PeerVariable[];

/** Builds the peers that are missing, and runs all these tests. */
export const PEER_COMMAND = 'npm run test:peers';

/** True if a test that gives this reason was skipped because a peer is missing. */
export const isAboutPeer = (reason: string): boolean =>
  PEER_VARIABLES.some((variable) => new RegExp(`\\b${variable}\\b`).test(reason));
