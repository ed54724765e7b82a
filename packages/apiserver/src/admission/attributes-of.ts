import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Written } from '../registry/admission.ts';
import type { CommitRequest } from '../registry/commit.ts';
import { metaOf } from '../registry/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { SCALE, scaleOf } from '../registry/scale.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Attributes, Operation } from './attributes.ts';

/** The user of requests from inside the process, which need no authorization. */
const IN_PROCESS: UserInfo = { name: 'system:apiserver', groups: ['system:masters'] };

const META_VERSION = 'meta.k8s.io/v1';

const deletionOptions = (request: CommitRequest): JsonObject => {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = request;
  return present({
    gracePeriodSeconds,
    propagationPolicy,
    preconditions: preconditions && { ...preconditions },
  });
};

const writeOptions = ({ fieldManager, fieldValidation }: CommitRequest): JsonObject => ({
  ...present({ fieldManager, fieldValidation }),
});

const OPTIONS: { readonly [operation in Operation]: string } = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: 'PodExecOptions',
};

const optionsOf = (operation: Operation, request: CommitRequest): JsonObject => ({
  kind: OPTIONS[operation],
  apiVersion: META_VERSION,
  ...(operation === 'DELETE' ? deletionOptions(request) : writeOptions(request)),
  ...present({ dryRun: request.dryRun ? ['All'] : undefined }),
});

/** The object that is written through a subresource with a kind of its own. */
const partOf = (resource: ServedResource, subresource: string, object: JsonObject | undefined) =>
  subresource === 'scale' && object !== undefined ? scaleOf(resource, object) : object;

/** The attributes of a write, for admission. */
export const attributesOf = (
  { caller }: Registry,
  resource: ServedResource,
  request: CommitRequest,
  { operation, object, old }: Written,
): Attributes => {
  const { subresource = '', dryRun = false } = request;
  const name = request.name || metaOf(object ?? {}).name || '';
  const isNamespace = resource.group === '' && resource.plural === 'namespaces';
  const after = partOf(resource, subresource, object);
  const before = partOf(resource, subresource, old);
  return {
    operation,
    resource,
    subresource,
    kind: subresource === 'scale' ? SCALE : resource,
    name,
    namespace: isNamespace ? name : (request.namespace ?? ''),
    ...present({ object: after, old: before }),
    user: caller?.user ?? IN_PROCESS,
    options: optionsOf(operation, request),
    dryRun,
  };
};
