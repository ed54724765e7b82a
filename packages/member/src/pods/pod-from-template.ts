import type { KubeObject } from '@perigee/api/meta/object-meta';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import type { PodTemplate, PodWritten } from '@perigee/kubernetes/core/pod';
import { present } from '@perigee/schema/present';

/** Longest prefix that leaves room for the random suffix. */
const LONGEST_PREFIX = 58;

const prefixOf = (name: string): string => {
  const prefix = `${name}-`;
  return prefix.length > LONGEST_PREFIX ? name : prefix;
};

/** A pod of a template, controlled by the owner, with generateName unless a name is given. */
export const podFromTemplate = (
  owner: KubeObject,
  { metadata = {}, spec }: PodTemplate,
  name?: string,
): PodWritten => {
  const { labels, annotations, finalizers } = metadata;
  const { namespace } = owner.metadata;
  return {
    metadata: {
      ...(name === undefined ? { generateName: prefixOf(owner.metadata.name) } : { name }),
      ...present({ namespace, labels, annotations, finalizers }),
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    spec,
  };
};
