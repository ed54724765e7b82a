import type { KubeObject } from '@perigee/api/meta/object-meta';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { ensure } from '@perigee/kube/client/ensure';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound } from '@perigee/kube/errors';
import { ControllerRevision } from '@perigee/kubernetes/apps/controller-revision';
import type { PodTemplate } from '@perigee/kubernetes/core/pod';
import { templateHash } from '../deployment/new-replica-set.ts';
import { controlledBy } from '../owned/controller-index.ts';

type Context = Pick<ReconcileContext, 'client' | 'cache'>;

export const REVISION_LABEL = 'controller-revision-hash';

export const revisionName = ({ metadata }: KubeObject, template: PodTemplate): string =>
  `${metadata.name}-${templateHash(template)}`;

/**
 * Stores the template as ControllerRevision under a name derived from it. A template that comes back becomes the newest
 * again.
 */
export const ensureRevision = async (
  owner: KubeObject,
  template: PodTemplate,
  { client, cache }: Context,
): Promise<readonly ControllerRevision[]> => {
  const ownRevisions = controlledBy(cache(ControllerRevision), owner);
  const name = revisionName(owner, template);
  const newest = Math.max(0, ...ownRevisions.map(({ revision }) => revision));
  const present = ownRevisions.find(({ metadata }) => metadata.name === name);
  if (present?.revision === newest && newest > 0) return ownRevisions;
  const { namespace = '' } = owner.metadata;
  if (present !== undefined) {
    await client.update(ControllerRevision, { ...present, revision: newest + 1 });
    return ownRevisions;
  }
  const newRevision = {
    metadata: {
      name,
      namespace,
      labels: { ...template.metadata?.labels, [REVISION_LABEL]: name },
      ownerReferences: [ownerReferenceTo(owner, { controller: true, blockOwnerDeletion: true })],
    },
    data: { spec: { template } },
    revision: newest + 1,
  };
  const createdRevision = await ensure(client, ControllerRevision, newRevision);
  return createdRevision === undefined ? ownRevisions : [...ownRevisions, createdRevision];
};

/** Deletes the oldest unused revisions beyond the history limit. */
export const dropRevisions = async (
  revisions: readonly ControllerRevision[],
  usedNames: ReadonlySet<string>,
  limit: number,
  { client }: Context,
): Promise<void> => {
  const unusedRevisions = revisions
    .filter(({ metadata }) => !usedNames.has(metadata.name))
    .toSorted((a, b) => a.revision - b.revision);
  for (const revision of unusedRevisions.slice(0, Math.max(0, unusedRevisions.length - limit))) {
    await client.delete(ControllerRevision, refOf(revision)).catch(ignoreNotFound);
  }
};
