import { createHash } from 'node:crypto';
import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { isSystemMark } from '@perigee/api/values/system-marks';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { objectsIn, textIn } from '../interpreter/fields.ts';
import { type FollowedNodes, FURTHER_LABELS, onFollowedNodes } from './follow-nodes.ts';
import {
  FLOW,
  isSimulated,
  keyOfOperation,
  type Operation,
  type OperationKindName,
  textOfKey,
} from './operation.ts';
import { isMover } from './render-mover-job.ts';
import type { RunParts } from './run-parts.ts';

/** Labels of all objects of an operation, and of its pods: its kind and uid. */
export const OPERATION = 'flows.perigee.io/operation';

/** Label of the Job and the ConfigMap of an operation: the number of the attempt. */
const ATTEMPT = 'flows.perigee.io/attempt';

/** Marks the template as propagated already, so that no policy selects it. */
const CLAIMED_BY = 'resourcetemplate.karmada.io/claimed-by';

/** Runtime of the pod in a virtual member. Other clusters ignore it. */
const RUNTIME = 'member.perigee.io/runtime';

/** True if the pods of a Job are simulated. */
export const isPlayedRun = (job: JsonObject): boolean =>
  textIn(job, 'spec', 'template', 'metadata', 'annotations', RUNTIME) === 'simulated';

/** True if the pods of a Job copy data. */
export const runsMover = (job: JsonObject): boolean =>
  objectsIn(job, 'spec', 'template', 'spec', 'containers').some(isMover);

const SHORT: { readonly [kind in OperationKindName]: string } = {
  DataLoad: 'load',
  DataMigrate: 'migrate',
  DataBackup: 'backup',
  DataProcess: 'process',
};

/** Job names are used as label values. */
const LONGEST_NAME = 63;
/** Fluid's limit. */
const BACKOFF_LIMIT = 3;

/** Label value shared by an operation and its attempts. */
export const operationLabel = ({ kind, metadata }: Operation): string => `${kind}.${metadata.uid}`;

/** The name of the Job and the ConfigMap of an attempt: deterministic and unique. */
export const runName = (operation: Operation, attempt: number): string => {
  const { kind, name } = keyOfOperation(operation);
  const digest = createHash('sha256').update(`${operation.metadata.uid}/${attempt}`).digest('hex');
  const end = `-${SHORT[kind]}-${digest.slice(0, 10)}`;
  const start = name.replaceAll('.', '-').slice(0, LONGEST_NAME - end.length);
  return `${start}${end}`;
};

interface NamedObject {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: { readonly [key: string]: string };
    readonly annotations: { readonly [key: string]: string };
    readonly ownerReferences: readonly OwnerReference[];
  };
}

export interface RunObjects {
  readonly job: NamedObject & {
    readonly apiVersion: string;
    readonly kind: string;
    readonly spec: JsonObject;
  };
  readonly configMap:
    | (NamedObject & { readonly data: { readonly [file: string]: string } })
    | undefined;
}

const words = (all: { readonly [key: string]: string } | undefined) =>
  Object.fromEntries(
    Object.entries(all ?? {}).filter(
      ([key]) => !isSystemMark(key) && !key.startsWith('flows.perigee.io/'),
    ),
  );

/** Labels and annotations for queues, including those of Volcano. */
const queueWords = (all: { readonly [key: string]: string } | undefined) =>
  Object.fromEntries(
    Object.entries(all ?? {}).filter(([key]) => /^(scheduling\.)?volcano\.sh\//.test(key)),
  );

/** The labels for node reports. */
const furtherLabels = (
  all: { readonly [key: string]: string } | undefined,
): { readonly [key: string]: string } => {
  const labels = all?.[FURTHER_LABELS];
  return present({ [FURTHER_LABELS]: labels });
};

/** The flow of a run, and the nodes that it follows. */
export interface RunPlace {
  readonly flow: string;
  readonly nodes: FollowedNodes;
}

/** The Job of an attempt, with its files. */
export const runObjects = (
  operation: Operation,
  attempt: number,
  { podSpec, jobSpec, podLabels, podAnnotations, files }: RunParts,
  { flow, nodes }: RunPlace,
): RunObjects => {
  const { metadata: from, spec } = operation;
  const { namespace } = keyOfOperation(operation);
  const name = runName(operation, attempt);
  const short = operation.kind.toLowerCase();
  const marks = { [OPERATION]: operationLabel(operation), [FLOW]: flow };
  const metadata = {
    namespace,
    name,
    labels: {
      ...words(from.labels),
      app: `fluid-${short}`,
      role: `${short}-job`,
      ...marks,
      [ATTEMPT]: String(attempt),
    },
    annotations: {
      ...queueWords(from.annotations),
      ...furtherLabels(from.annotations),
      [CLAIMED_BY]: 'data-operations',
      [OPERATION]: textOfKey(keyOfOperation(operation)),
    },
    ownerReferences: [ownerReferenceTo(operation, { controller: true, blockOwnerDeletion: true })],
  };
  const { activeDeadlineSeconds } = spec;
  const template = {
    metadata: {
      labels: { ...podLabels, role: `${short}-pod`, ...marks },
      annotations: {
        'sidecar.istio.io/inject': 'false',
        ...podAnnotations,
        // Explicit, so that the default of the member never applies.
        [RUNTIME]: isSimulated(operation) ? 'simulated' : 'process',
      },
    },
    spec: onFollowedNodes(podSpec, nodes),
  };
  return {
    job: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        backoffLimit: spec.backoffLimit ?? BACKOFF_LIMIT,
        completions: 1,
        parallelism: 1,
        ...jobSpec,
        ...present({ activeDeadlineSeconds }),
        template,
      },
    },
    configMap: Object.keys(files).length === 0 ? undefined : { metadata, data: files },
  };
};
