import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import {
  changedAt,
  filled,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  withField,
} from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import type { Strategy } from '../resource/strategy.ts';
import { TEMPLATE_GENERATION } from './defaults/workload-defaults.ts';
import { qosClassOf } from './qos-class.ts';
import { keepAllocated } from './services/keep-allocated.ts';

type Prepare = NonNullable<Strategy['prepare']>;

const onCreate =
  (prepare: (object: JsonObject) => JsonObject): Prepare =>
  (object, old) =>
    old === undefined ? prepare(object) : object;

const GATED = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
};

const statusOfNewPod = (pod: JsonObject): JsonObject => {
  const spec = objectAt(pod, 'spec');
  const gated = { ...GATED, lastTransitionTime: objectAt(pod, 'metadata').creationTimestamp };
  return {
    phase: 'Pending',
    qosClass: qosClassOf(spec),
    ...(objectsAt(spec, 'schedulingGates').length === 0 ? {} : { conditions: [gated] }),
  };
};

/** A kubelet may leave out the QoS class, which was decided when the pod was created. */
const pod: Prepare = (object, old, subresource) => {
  if (old === undefined) return { ...object, status: statusOfNewPod(object) };
  const { qosClass } = objectAt(old, 'status');
  if (subresource !== 'status' || qosClass === undefined) return object;
  const status = objectAt(object, 'status');
  return status.qosClass ? object : { ...object, status: { ...status, qosClass } };
};

const NAMESPACE_FINALIZER = 'kubernetes';

/** Only the namespace controller ends the finalization, and only by its subresource. */
const namespace: Prepare = (object, old, subresource) => {
  const spec = objectAt(object, 'spec');
  if (old !== undefined) {
    if (subresource === 'finalize') return object;
    const { finalizers } = objectAt(old, 'spec');
    return { ...object, spec: withField(spec, 'finalizers', finalizers) };
  }
  const finalizers = textsAt(spec, 'finalizers');
  const isReadable = Array.isArray(spec.finalizers ?? []);
  return finalizers.includes(NAMESPACE_FINALIZER) || !isReadable
    ? object
    : { ...object, spec: { ...spec, finalizers: [...finalizers, NAMESPACE_FINALIZER] } };
};

const isNameGenerated = (metadata: JsonObject): boolean =>
  textAt(metadata, 'generateName') !== '' &&
  textAt(metadata, 'name').startsWith(textAt(metadata, 'generateName'));

/** Unless its user selects the pods, a job selects those that carry its own uid. Labels that it took from its pods it goes on sharing with them, if it has a name by then. */
const job = onCreate((object) => {
  const spec = objectAt(object, 'spec');
  if (spec.manualSelector === true || spec.template === undefined) return object;
  const ownMetadata = objectAt(object, 'metadata');
  const { uid, name = '' } = ownMetadata;
  const template = objectAt(spec, 'template');
  const metadata = objectAt(template, 'metadata');
  const isReadable = isJsonObject(template.metadata ?? {}) && isJsonObject(metadata.labels ?? {});
  if (!isReadable) return object;
  const labels = filled(objectAt(metadata, 'labels'), {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  });
  const selector = objectAt(spec, 'selector');
  const matchLabels = {
    ...objectAt(selector, 'matchLabels'),
    'batch.kubernetes.io/controller-uid': uid,
  };
  const isShared =
    Object.keys(objectAt(ownMetadata, 'labels')).length === 0 ||
    (!isNameGenerated(ownMetadata) && sameJson(ownMetadata.labels, metadata.labels));
  return {
    ...object,
    metadata: isShared ? { ...ownMetadata, labels } : ownMetadata,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
});

const volume = onCreate((object) => {
  const { creationTimestamp } = objectAt(object, 'metadata');
  return {
    ...object,
    status: filled(objectAt(object, 'status'), { lastPhaseTransitionTime: creationTimestamp }),
  };
});

/** Counts the templates of a daemon set, by which old clients distinguish pods. */
const daemonSet: Prepare = (object, old) => {
  const metadata = objectAt(object, 'metadata');
  const annotations = objectAt(metadata, 'annotations');
  const before = Number(objectAt(old ?? {}, 'metadata', 'annotations')[TEMPLATE_GENERATION] ?? 0);
  const isSame = sameJson(objectAt(object, 'spec').template, objectAt(old ?? {}, 'spec').template);
  const generation = String(isSame ? before : before + 1);
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [TEMPLATE_GENERATION]: generation } },
  };
};

/** Only a service of that type has a balancer with an address. */
const service: Prepare = (object, old, subresource) => {
  if (subresource !== undefined) return object;
  const before = old === undefined ? undefined : objectAt(old, 'spec');
  const allocated = changedAt(object, 'spec', (spec) => keepAllocated(spec, before));
  // A mere name leads no traffic anywhere.
  const prepared = changedAt(allocated, 'spec', (spec) =>
    spec.type === 'ExternalName' ? withField(spec, 'internalTrafficPolicy', undefined) : spec,
  );
  return old === undefined || objectAt(prepared, 'spec').type === 'LoadBalancer'
    ? prepared
    : { ...prepared, status: { ...objectAt(prepared, 'status'), loadBalancer: {} } };
};

/** Both fields for the source of a volume have the same value. */
const claim = onCreate((object) =>
  changedAt(object, 'spec', (spec) => {
    const { dataSource, dataSourceRef } = spec;
    if (dataSource !== undefined) return filled(spec, { dataSourceRef: dataSource });
    const { namespace: elsewhere, ...source } = objectAt(spec, 'dataSourceRef');
    return dataSourceRef === undefined || elsewhere !== undefined
      ? spec
      : withField(spec, 'dataSource', source);
  }),
);

/** Its generation is 1 from its creation, and counts nothing. */
const priorityClass = onCreate((object) => ({
  ...object,
  metadata: { ...objectAt(object, 'metadata'), generation: 1 },
}));

/** The spec of a signing request never changes after its creation. */
const signingRequest: Prepare = (object, old) =>
  old === undefined ? object : withField(object, 'spec', old.spec);

const isBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text;

/** Texts of a secret are data in another spelling. */
export const secretWithData = (object: JsonObject): JsonObject => {
  const { stringData, ...secret } = object;
  if (stringData === undefined) return object;
  const texts = objectAt(object, 'stringData');
  if (Object.values(texts).some((text) => typeof text !== 'string')) return object;
  if (!isJsonObject(object.data ?? {})) return object;
  // Texts replace the data of their keys, which must be valid base64 even so.
  const oldData = objectAt(object, 'data');
  if (Object.keys(texts).some((key) => !isBase64(textAt(oldData, key)))) return object;
  const data = Object.keys(texts).map((key) => [
    key,
    Buffer.from(textAt(texts, key)).toString('base64'),
  ]);
  return { ...secret, data: { ...objectAt(secret, 'data'), ...Object.fromEntries(data) } };
};

/** Other servers are not asked: only what this one serves itself is there. */
const apiService = onCreate((object) => {
  const isLocal = objectAt(object, 'spec').service === undefined;
  const condition = {
    type: 'Available',
    status: isLocal ? 'True' : 'False',
    lastTransitionTime: objectAt(object, 'metadata').creationTimestamp,
    reason: isLocal ? 'Local' : 'NotAggregated',
    message: isLocal
      ? 'Local APIServices are always available'
      : 'this server passes no requests on to other API servers',
  };
  return { ...object, status: { conditions: [condition] } };
});

const PREPARE: ReadonlyMap<string, Prepare> = new Map([
  ['apiregistration.v1.APIService', apiService],
  ['core.v1.Pod', pod],
  ['core.v1.Namespace', namespace],
  ['core.v1.PersistentVolume', volume],
  ['core.v1.PersistentVolumeClaim', claim],
  ['core.v1.Service', service],
  ['apps.v1.DaemonSet', daemonSet],
  ['batch.v1.Job', job],
  ['certificates.v1.CertificateSigningRequest', signingRequest],
  ['scheduling.v1.PriorityClass', priorityClass],
]);

/** Writes the fields that kube-apiserver itself fills in before it stores an object of this type. */
export const prepareBuiltin = (typeName: string): Prepare =>
  PREPARE.get(typeName) ?? ((object) => object);
