import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import { serverSideApply } from '../apply/server-side-apply.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { applyConflict, notFound } from '../status/object-refusals.ts';
import type { ApplyRequest } from './apply.ts';
import { bodyResource } from './body-resource.ts';
import { commit } from './commit.ts';
import { decodeInput } from './decode-input.ts';
import { formOf } from './object-form.ts';
import { refusingBadPatch } from './refuse-bad-patch.ts';
import type { Registry } from './registry.ts';
import { replacement } from './replace.ts';
import { SCALE, scaleOf, withReplicas } from './scale.ts';
import { ownedScale, scaleSchema, withScaleOwners } from './scale-owners.ts';

/** The scale with the config of a manager: it may only set the number of replicas. */
const appliedScale = (
  { clock }: Registry,
  live: JsonObject,
  { config, force = false, fieldManager: manager = '' }: ApplyRequest,
): JsonObject => {
  const applyResult = refusingBadPatch(() =>
    serverSideApply({
      config,
      live,
      force,
      manager,
      schema: scaleSchema(),
      apiVersion: apiVersionOf(SCALE),
      subresource: 'scale',
      time: formatTime(clock.now()),
      resetFields: { 'f:status': {} },
    }),
  );
  if ('object' in applyResult) return applyResult.object;
  throw applyConflict(applyResult.conflicts.message, applyResult.conflicts.causes);
};

/** Server-side apply to the scale of an object. */
export const applyScale = async (
  registry: Registry,
  resource: ServedResource,
  request: ApplyRequest,
): Promise<JsonObject> => {
  // Only to hear what is wrong with it: defaults are not what the manager asked for.
  decodeInput(bodyResource(resource, 'scale'), request.config, request);
  const object = await commit(registry, resource, request, (present, revision) => {
    if (present === undefined) throw notFound(resource, request.name);
    const live = formOf(resource).read(present);
    const scale = appliedScale(registry, ownedScale(resource, live), request);
    const proposed = withScaleOwners(resource, withReplicas(resource, live, scale), scale);
    return replacement(registry, resource, present, proposed, { ...request, revision });
  });
  return scaleOf(resource, object);
};
