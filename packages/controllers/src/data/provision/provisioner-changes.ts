import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import type { Provisioners } from './provisioners.ts';

/** Enqueues the objects that a changed provisioner concerns. */
export const provisionerChanges = (
  provisioners: Provisioners,
  concerned: (system: string, cache: Caches) => Iterable<ObjectRef>,
): Source => ({
  kinds: [],
  start: ({ enqueue, caches }) =>
    provisioners.onChange((system) => {
      for (const ref of concerned(system, caches)) enqueue(ref);
    }),
});
