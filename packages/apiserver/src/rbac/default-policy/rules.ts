import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { present } from '@perigee/schema/present';

export const READ = 'get list watch';
export const WRITE = 'create delete deletecollection patch update';
export const READ_WRITE = 'create delete deletecollection get list patch update watch';

const words = (text: string): readonly string[] => text.split(' ');

/** Verbs on resources. Everything is a list of words, save for groups: the core group is empty. */
export const on = (
  verbs: string,
  groups: string | readonly string[],
  resources: string,
  names?: string,
): PolicyRule => ({
  apiGroups: typeof groups === 'string' ? [groups] : groups,
  resources: words(resources),
  ...present({ resourceNames: names?.split(' ') }),
  verbs: words(verbs),
});

/** Verbs on paths that stand for no resource. */
export const paths = (verbs: string, urls: string): PolicyRule => ({
  nonResourceURLs: words(urls),
  verbs: words(verbs),
});

/** To record Events. */
export const EVENTS = on('create patch update', ['', 'events.k8s.io'], 'events');
