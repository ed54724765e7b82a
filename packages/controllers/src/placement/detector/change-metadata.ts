import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { present } from '@perigee/schema/present';

type Words = { readonly [key: string]: string };

/** The merge patch between two sets of labels or annotations. */
const difference = (before: Words = {}, after: Words = {}): object | undefined => {
  const changedEntries = Object.entries(after).filter(([key, value]) => before[key] !== value);
  const removedKeys = Object.keys(before).filter((key) => !(key in after));
  if (changedEntries.length === 0 && removedKeys.length === 0) return undefined;
  return Object.fromEntries([...changedEntries, ...removedKeys.map((key) => [key, null])]);
};

/** Gives an object other labels and annotations, unless it changed meanwhile or has them already. */
export const changeMetadata = async (
  kind: ResourceKind,
  object: KubeObject,
  words: { readonly labels?: Words; readonly annotations?: Words },
  fieldManager: string,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { metadata } = object;
  const labels = difference(metadata.labels, words.labels);
  const annotations = difference(metadata.annotations, words.annotations);
  if (labels === undefined && annotations === undefined) return;
  const body = {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      ...present({ labels, annotations }),
    },
  };
  await client.patch(kind, refOf(object), { type: 'merge', body }, { fieldManager, signal });
};
