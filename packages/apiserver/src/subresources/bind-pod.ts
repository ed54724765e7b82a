import { Pod } from '@perigee/kubernetes/core/pod';
import { type FieldError, notSupported, required } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, objectsAt, textAt } from '@perigee/schema/json-fields';
import { present } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { type Action, DONE } from '../registry/action.ts';
import { bodyResource } from '../registry/body-resource.ts';
import { commit } from '../registry/commit.ts';
import { decodeInput } from '../registry/decode-input.ts';
import { atVersion, metaOf } from '../registry/metadata.ts';
import { formOf } from '../registry/object-form.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { conflict, notFound } from '../status/object-refusals.ts';
import { refusal } from '../status/refusal.ts';
import { badRequest, unknownResource } from '../status/request-refusals.ts';

const BINDINGS = { group: '', plural: 'pods/binding' };

const checkTarget = (binding: JsonObject): void => {
  const { kind = '', name = '' } = objectAt(binding, 'target');
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') {
    errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  }
  if (name === '') errors.push(required('target.name'));
  if (errors.length === 0) return;
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  // kube-apiserver answers so, without a reason.
  throw refusal(500, '', texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`);
};

const boundPod = (pod: JsonObject, binding: JsonObject, now: string): JsonObject => {
  const status = objectAt(pod, 'status');
  const others = objectsAt(status, 'conditions').filter(({ type }) => type !== 'PodScheduled');
  const scheduledCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: now,
  };
  const { annotations, labels } = metaOf(binding);
  const metadata = objectAt(pod, 'metadata');
  return {
    ...pod,
    metadata: {
      ...metadata,
      ...present({
        annotations: annotations && { ...objectAt(metadata, 'annotations'), ...annotations },
        labels: labels && { ...objectAt(metadata, 'labels'), ...labels },
      }),
    },
    spec: { ...objectAt(pod, 'spec'), nodeName: textAt(objectAt(binding, 'target'), 'name') },
    status: { ...status, conditions: [...others, scheduledCondition] },
  };
};

const refuseUnready = (pod: JsonObject, binding: JsonObject): void => {
  const { name = '', uid, deletionTimestamp } = metaOf(pod);
  const spec = objectAt(pod, 'spec');
  const requestedUid = metaOf(binding).uid;
  if (requestedUid && requestedUid !== uid) {
    const why = `Precondition failed: UID in precondition: ${requestedUid}, UID in object meta: ${uid}`;
    throw conflict(Pod, name, why);
  }
  if (deletionTimestamp !== undefined) {
    throw conflict(BINDINGS, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (textAt(spec, 'nodeName') !== '') {
    const node = JSON.stringify(spec.nodeName);
    throw conflict(BINDINGS, name, `pod ${name} is already assigned to node ${node}`);
  }
  if (objectsAt(spec, 'schedulingGates').length > 0) {
    throw conflict(BINDINGS, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
};

const podsOf = ({ resources }: Registry): ServedResource => {
  const pods = resources.find(Pod);
  if (pods === undefined) throw unknownResource();
  return pods;
};

/** Gives a pod to a node: by its own subresource, or by a binding that names it. */
export const bindPod: Action = async (registry, resource, request) => {
  const binding = decodeInput(bodyResource(resource, 'binding'), request.body, request);
  const name = metaOf(binding).name ?? '';
  if (request.name !== undefined && name !== request.name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  checkTarget(binding);
  const pods = podsOf(registry);
  await commit(registry, pods, { ...request, name }, (present, revision) => {
    if (present === undefined) throw notFound(pods, name);
    const pod = formOf(pods).read(present);
    refuseUnready(pod, binding);
    const next = boundPod(pod, binding, formatTime(registry.clock.now()));
    return { change: { put: next }, object: atVersion(next, revision) };
  });
  return DONE;
};
