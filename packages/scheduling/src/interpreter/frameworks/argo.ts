import { numberIn, objectIn, objectsIn, pick, textIn, withField } from '../fields.ts';
import type { Dependency, KindInterpreter } from '../interpreter.ts';
import { podDependencies } from '../pod-dependencies.ts';
import { podRequirements } from '../pod-requirements.ts';
import { jointStatus } from './joint-status.ts';

/** An Argo Workflow: its parallelism counts as replicas. */
export const argoWorkflow: KindInterpreter = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  demand: (object) => {
    const nodes = pick(objectIn(object, 'spec'), ['affinity', 'nodeSelector', 'tolerations']);
    const requirements = podRequirements(nodes);
    const replicas = numberIn(object, 'spec', 'parallelism') ?? 1;
    return requirements === undefined ? { replicas } : { replicas, requirements };
  },
  revise: (object, replicas) => withField(object, ['spec', 'parallelism'], replicas),
  /**
   * Keeps the member's suspension, since users suspend a workflow there, and its status, which its
   * controller owns.
   */
  retain: (desired, observed) => {
    const { suspend } = objectIn(observed, 'spec');
    const result =
      suspend === undefined ? desired : withField(desired, ['spec', 'suspend'], suspend);
    return observed.status === undefined ? result : { ...result, status: observed.status };
  },
  health: (object) =>
    ['', 'Error', 'Failed'].includes(textIn(object, 'status', 'phase')) ? 'Unhealthy' : 'Healthy',
  aggregate: jointStatus({
    read: (status) => textIn(status, 'phase'),
    order: ['Succeeded', 'Pending', 'Running', 'Failed', 'Error'],
  }),
  dependencies: (object) => {
    const namespace = textIn(object, 'metadata', 'namespace');
    const spec = objectIn(object, 'spec');
    const account = textIn(spec, 'executor', 'serviceAccountName');
    const dependency = (kind: string, name: string): Dependency => ({
      apiVersion: 'v1',
      kind,
      namespace,
      name,
    });
    const claims = objectsIn(spec, 'volumeClaimTemplates').map((claim) =>
      textIn(claim, 'metadata', 'name'),
    );
    return [
      ...podDependencies(spec, namespace),
      ...(account === '' ? [] : [dependency('ServiceAccount', account)]),
      ...claims
        .filter((name) => name !== '')
        .map((name) => dependency('PersistentVolumeClaim', name)),
    ];
  },
};
