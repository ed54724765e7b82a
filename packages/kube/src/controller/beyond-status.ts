import type { KubeObject, ObjectMeta } from '@perigee/api/meta/object-meta';
import { sameJson } from '@perigee/schema/same-json';

const withoutVersion = ({ resourceVersion: _, managedFields: __, ...metadata }: ObjectMeta) =>
  metadata;

const withoutStatus = (object: KubeObject & { readonly status?: unknown }) => {
  const { metadata, status: _, ...content } = object;
  return { ...content, metadata: withoutVersion(metadata) };
};

/**
 * True if more than the status differs between two versions of an object: for controllers that do not read the
 * status, which is what changes most. Generations do not tell: some kinds have one that counts nothing.
 */
export const differsBeyondStatus = (
  now: KubeObject | undefined,
  before: KubeObject | undefined,
): boolean =>
  now === undefined || before === undefined || !sameJson(withoutStatus(now), withoutStatus(before));
