import { argoWorkflow } from './frameworks/argo.ts';
import { flinkDeployment } from './frameworks/flink.ts';
import { mpiJob, notebook, pyTorchJob, tfJob } from './frameworks/kubeflow.ts';
import { rayCluster, rayJob, rayService } from './frameworks/ray.ts';
import { sparkApplication } from './frameworks/spark.ts';
import { volcanoJob } from './frameworks/volcano.ts';
import type { Interpreter, KindInterpreter } from './interpreter.ts';
import { daemonSet, deployment, replicaSet, statefulSet } from './native/apps.ts';
import { cronJob, job } from './native/batch.ts';
import {
  persistentVolume,
  persistentVolumeClaim,
  pod,
  secret,
  serviceAccount,
} from './native/core.ts';
import {
  horizontalPodAutoscaler,
  ingress,
  podDisruptionBudget,
  service,
  serviceImport,
} from './native/networking.ts';

/** Interpreted kinds of Kubernetes. */
export const nativeKinds: readonly KindInterpreter[] = [
  deployment,
  replicaSet,
  statefulSet,
  daemonSet,
  job,
  cronJob,
  pod,
  service,
  ingress,
  serviceImport,
  persistentVolume,
  persistentVolumeClaim,
  secret,
  serviceAccount,
  podDisruptionBudget,
  horizontalPodAutoscaler,
];

/** Interpreted kinds of AI and big-data frameworks. */
export const frameworkKinds: readonly KindInterpreter[] = [
  volcanoJob,
  argoWorkflow,
  sparkApplication,
  flinkDeployment,
  rayCluster,
  rayJob,
  rayService,
  pyTorchJob,
  tfJob,
  mpiJob,
  notebook,
];

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

/** Combines interpreters; a later one for the same kind overrides the functions that it has. */
export const createInterpreter = (kinds: readonly KindInterpreter[]): Interpreter => {
  const interpreters = new Map<string, KindInterpreter>();
  for (const one of kinds) {
    const key = keyOf(one.apiVersion, one.kind);
    interpreters.set(key, { ...interpreters.get(key), ...one });
  }
  return {
    of: (apiVersion, kind) => interpreters.get(keyOf(apiVersion, kind)) ?? { apiVersion, kind },
  };
};
