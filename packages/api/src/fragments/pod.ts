import {
  boolean,
  int32,
  int64,
  list,
  map,
  object,
  oneOf,
  open,
  string,
} from '@perigee/schema/structural/builder';
import { optional, type StoredOf, type WrittenOf } from '@perigee/schema/structural/schema';
import { affinity } from './pod-affinity.ts';
import { containers } from './pod-containers.ts';
import { resourceList } from './pod-resources.ts';
import { tolerations } from './pod-tolerations.ts';
import { volumes } from './pod-volumes.ts';

/**
 * A pod as a part of another object. Checked where users err, and where a scheduler reads; other
 * fields are kept as they are. The API server of the cluster that runs the pod validates all of it,
 * so a complete copy here would only make the CRD large and age with every Kubernetes release.
 */
export const podSpec = (description: string) =>
  open(
    object(description, {
      containers: containers('The containers that run together.', { minItems: 1 }),
      initContainers: optional(
        containers('Containers that run one after another before the others start.'),
      ),
      restartPolicy: optional(
        oneOf('Whether ended containers are started again.', ['Always', 'OnFailure', 'Never']),
      ),
      schedulerName: optional(string('The scheduler that gives the pod a node.')),
      nodeName: optional(string('The node, for a pod that passes by the scheduler.')),
      nodeSelector: optional(
        map('Labels that the node must have.', string('The value of the label.')),
      ),
      affinity: optional(affinity('Where the pod may or should run.')),
      tolerations: optional(tolerations('The taints that the pod puts up with.')),
      volumes: optional(volumes('The volumes that containers can mount.')),
      serviceAccountName: optional(string('The service account that the pod acts as.')),
      priorityClassName: optional(string('The priority class of the pod.')),
      priority: optional(int32('The priority that the class stands for.')),
      preemptionPolicy: optional(
        oneOf('Whether the pod may push out others.', ['Never', 'PreemptLowerPriority']),
      ),
      overhead: optional(resourceList('What the runtime of the pod needs beside its containers.')),
      hostNetwork: optional(boolean('Whether the pod uses the network of its node.')),
      activeDeadlineSeconds: optional(
        int64('How long the pod may run before it is ended.', { minimum: 1 }),
      ),
      terminationGracePeriodSeconds: optional(
        int64('How long the pod has to end by itself.', { minimum: 0 }),
      ),
      imagePullSecrets: optional(
        list(
          'The secrets to fetch images with.',
          object('A secret.', { name: optional(string('The name of the secret.')) }),
        ),
      ),
    }),
  );

/** The labels and annotations that something made from a template gets. */
const templateMetadata = (description: string) =>
  open(
    object(description, {
      labels: optional(map('The labels.', string('The value of a label.'))),
      annotations: optional(map('The annotations.', string('The value of an annotation.'))),
    }),
  );

export const podTemplateSpec = (description: string) =>
  object(description, {
    metadata: optional(templateMetadata('Labels and annotations of the pods.')),
    spec: podSpec('What the pods run, and where they may run.'),
  });

export type PodSpec = StoredOf<ReturnType<typeof podSpec>>;
export type PodTemplateSpec = StoredOf<ReturnType<typeof podTemplateSpec>>;
export type PodTemplateSpecWritten = WrittenOf<ReturnType<typeof podTemplateSpec>>;
