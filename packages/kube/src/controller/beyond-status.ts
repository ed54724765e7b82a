import type { KubeObject, ObjectMeta } from '@perigee/api/meta/object-meta';
import { sameJson } from '@perigee/schema/same-json';

const withoutVersion = ({ resourceVersion: _, managedFields: __, ...metadata }: ObjectMeta) =>
  metadata;

/**
 * True if more than the status differs between two versions of an object whose kind counts generations: for
 * controllers that do not read the status, which is what changes most.
 */
export const differsBeyondStatus = (
  now: KubeObject | undefined,
  before: KubeObject | undefined,
): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation === undefined ||
  !sameJson(withoutVersion(now.metadata), withoutVersion(before.metadata));
