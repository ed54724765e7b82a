import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import { clusterOfExecutionNamespace, executionNamespace } from '@perigee/api/values/karmada-names';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { workOf } from '@perigee/scheduling/placement/work/member-object';
import type { MemberChange, MemberInformers } from '../../members/member-informers.ts';
import type { MemberObject } from '../../members/member-view.ts';
import { isReady, serving } from './served-clusters.ts';

const worksOn = (cluster: string, cache: Caches): readonly ObjectRef[] =>
  cache(Work)
    .listNamespace(executionNamespace(cluster))
    .map(({ metadata: { namespace = '', name } }) => ({ namespace, name }));

/** The fields that decide if a cluster accepts work. */
const standing = (cluster: MemberCluster, isServed: (cluster: MemberCluster) => boolean): string =>
  [isReady(cluster), isServed(cluster), cluster.metadata.deletionTimestamp !== undefined].join();

/** Enqueues all Works of a cluster when it begins or ceases to accept work. */
export const clusterSource = (clusters: readonly string[] | undefined): Source => {
  const isServed = serving(clusters);
  return watch(MemberCluster, {
    map: ({ metadata }, cache) => worksOn(metadata.name, cache),
    when: (now, before) =>
      now === undefined ||
      before === undefined ||
      standing(now, isServed) !== standing(before, isServed),
  });
};

/** Enqueues the Work of an object in a member cluster when a relevant field of that object changes. */
export const memberSource = (
  members: MemberInformers,
  matters: (now: MemberObject | undefined, before: MemberObject | undefined) => boolean,
  delayMs = 0,
): Source => ({
  kinds: [],
  start: ({ caches, enqueue }) => {
    const onChange = ({ cluster, now, before }: MemberChange) => {
      if (!matters(now, before)) return;
      // The old version counts too: its label may have been removed.
      for (const object of [before, now]) {
        const work = object && workOf(object);
        if (work === undefined || clusterOfExecutionNamespace(work.namespace) !== cluster) continue;
        enqueue(work, { delayMs });
      }
    };
    const stack = new DisposableStack();
    stack.use(members.onChange(onChange));
    stack.use(
      members.onReconnect((cluster) => {
        for (const work of worksOn(cluster, caches)) enqueue(work);
      }),
    );
    return stack;
  },
});
